// A stand-in for a TiKV store: it is not TiKV and stores nothing. Towards PD it behaves as a store does (it joins, heartbeats, leads
// regions, hands a region's leadership over when PD says so), so that a real PD has something to schedule. The flags that
// TiKV knows too are called as they are there.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type options struct {
	pd       []string
	listen   string
	status   string
	address  string
	data     string
	version  string
	id       uint64
	regions  int
	replicas int
	down     time.Duration
	stubborn bool
}

func parse() options {
	var o options
	pd := flag.String("pd-endpoints", "", "PD's client addresses, host:port, with commas between them")
	flag.StringVar(&o.listen, "addr", "", "where it listens to other stores, host:port")
	flag.StringVar(&o.status, "status-addr", "", "where it answers /status, host:port")
	flag.StringVar(&o.address, "advertise-addr", "", "what PD and the other stores know it by, host:port")
	flag.StringVar(&o.data, "data-dir", "", "the folder in which it keeps its id")
	flag.StringVar(&o.version, "version", "0.0.0", "the version it tells PD")
	flag.Uint64Var(&o.id, "id", 0, "its id, when it starts for the first time; 0 lets PD choose")
	flag.IntVar(&o.regions, "regions", 12, "how many regions there are")
	flag.IntVar(&o.replicas, "replicas", 3, "how many stores keep a region; nothing is led before so many are there")
	flag.DurationVar(&o.down, "down-after", 3*time.Second, "after how long a silent peer is reported as down")
	flag.BoolVar(&o.stubborn, "stubborn", false, "keep leadership whatever PD says")
	flag.Parse()
	o.pd = strings.Split(*pd, ",")
	return o
}

func main() {
	o := parse()
	id := o.id
	kept := filepath.Join(o.data, "store-id")
	if text, err := os.ReadFile(kept); err == nil {
		id, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			log.Fatal(err)
		}
	}
	placement := &pd{addresses: o.pd}
	for id == 0 {
		id = placement.allocate()
		pause()
	}
	if err := os.WriteFile(kept, []byte(strconv.FormatUint(id, 10)), 0o600); err != nil {
		log.Fatal(err)
	}
	s := newStore(o, id)
	go func() { log.Fatal(http.ListenAndServe(o.listen, s.web())) }()
	if o.status != "" {
		go func() { log.Fatal(http.ListenAndServe(o.status, s.web())) }()
	}
	for !s.join(placement) {
		pause()
	}
	log.Printf("store %d joined", id)
	s.joined.Store(true)
	go s.gossip(context.Background())
	s.beat(placement)
}

func pause() { time.Sleep(200 * time.Millisecond) }
