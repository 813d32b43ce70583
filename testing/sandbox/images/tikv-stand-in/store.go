package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pingcap/kvproto/pkg/metapb"
	"github.com/pingcap/kvproto/pkg/pdpb"
)

const (
	firstRegion = 1_000_000
	tick        = 500 * time.Millisecond
)

// What one store knows of a region: in which term somebody leads it, and who that is.
type lead struct {
	Term  uint64
	Store uint64
	heard time.Time
}

type store struct {
	options
	id     uint64
	began  time.Time
	joined atomic.Bool

	mutex  sync.Mutex
	peers  []*metapb.Store
	leads  map[uint64]lead
	silent map[uint64]time.Time
}

func newStore(o options, id uint64) *store {
	return &store{options: o, id: id, began: time.Now(), leads: map[uint64]lead{}, silent: map[uint64]time.Time{}}
}

func (s *store) meta() *metapb.Store {
	return &metapb.Store{Id: s.id, Address: s.address, Version: s.version, StartTimestamp: s.began.Unix()}
}

// Makes the cluster, if there is none, and puts this store into it.
func (s *store) join(p *pd) bool {
	client, found := p.leader()
	if !found {
		return false
	}
	ctx, cancel := soon()
	defer cancel()
	first := &metapb.Region{
		Id: firstRegion, RegionEpoch: &metapb.RegionEpoch{ConfVer: 1, Version: 1},
		Peers: []*metapb.Peer{s.peer(firstRegion, s.id)},
	}
	// Of two who try, one is told that it is made already.
	if _, err := client.Bootstrap(ctx, &pdpb.BootstrapRequest{Header: p.header(), Store: s.meta(), Region: first}); err != nil {
		p.lost(err)
		return false
	}
	said, err := client.PutStore(ctx, &pdpb.PutStoreRequest{Header: p.header(), Store: s.meta()})
	if err == nil && said.GetHeader().GetError() != nil {
		err = errors.New(said.GetHeader().GetError().String())
	}
	if err != nil {
		p.lost(err)
		return false
	}
	return true
}

// Peers need ids that differ; which ones they are is for nobody to care about.
func (s *store) peer(region, on uint64) *metapb.Peer {
	return &metapb.Peer{Id: region*1000 + on%1000, StoreId: on}
}

// The region of this number: the keys from its number to the next one's, kept by the stores with the lowest ids.
func (s *store) region(number int, keepers []*metapb.Store) *metapb.Region {
	id := uint64(firstRegion + number)
	region := &metapb.Region{Id: id, RegionEpoch: &metapb.RegionEpoch{ConfVer: 5, Version: 5}}
	if number > 0 {
		region.StartKey = []byte(fmt.Sprintf("t%04d", number))
	}
	if number < s.regions-1 {
		region.EndKey = []byte(fmt.Sprintf("t%04d", number+1))
	}
	for _, keeper := range keepers {
		region.Peers = append(region.Peers, s.peer(id, keeper.Id))
	}
	return region
}

func (s *store) keepers() []*metapb.Store {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := append([]*metapb.Store(nil), s.peers...)
	if len(known) < s.replicas {
		return nil
	}
	sort.Slice(known, func(i, j int) bool { return known[i].Id < known[j].Id })
	return known[:s.replicas]
}

// Heartbeats for itself and the regions it leads, for ever; hands over what PD tells it to.
func (s *store) beat(p *pd) {
	for ; ; time.Sleep(tick) {
		client, found := p.leader()
		if !found {
			continue
		}
		stream, err := client.RegionHeartbeat(context.Background())
		if err != nil {
			p.lost(err)
			continue
		}
		go s.obey(stream)
		for err == nil {
			err = s.once(p, stream)
			time.Sleep(tick)
		}
		p.lost(err)
	}
}

func (s *store) once(p *pd, stream pdpb.PD_RegionHeartbeatClient) error {
	if peers := p.stores(); peers != nil {
		s.mutex.Lock()
		s.peers = peers
		s.mutex.Unlock()
	}
	client, found := p.leader()
	if !found {
		return errors.New("nobody leads")
	}
	led := s.led()
	ctx, cancel := soon()
	defer cancel()
	said, err := client.StoreHeartbeat(ctx, &pdpb.StoreHeartbeatRequest{Header: p.header(), Stats: &pdpb.StoreStats{
		StoreId: s.id, Capacity: 100 << 30, Available: 90 << 30, UsedSize: 1 << 30,
		RegionCount: uint32(s.regions), StartTime: uint32(s.began.Unix()),
	}})
	if err == nil && said.GetHeader().GetError() != nil {
		err = errors.New(said.GetHeader().GetError().String())
	}
	keepers := s.keepers()
	for number, term := range led {
		if err != nil || keepers == nil {
			break
		}
		region := s.region(number, keepers)
		err = stream.Send(&pdpb.RegionHeartbeatRequest{
			Header: p.header(), Region: region, Leader: s.peer(region.Id, s.id), Term: term,
			DownPeers: s.downPeers(region), ApproximateSize: 96, ApproximateKeys: 1000,
		})
	}
	return err
}

func (s *store) downPeers(region *metapb.Region) []*pdpb.PeerStats {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var down []*pdpb.PeerStats
	for _, peer := range region.Peers {
		if since, silent := s.silent[peer.StoreId]; silent && time.Since(since) > s.down {
			down = append(down, &pdpb.PeerStats{Peer: peer, DownSeconds: uint64(time.Since(since).Seconds())})
		}
	}
	return down
}

func (s *store) led() map[int]uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	led := map[int]uint64{}
	for region, l := range s.leads {
		if l.Store == s.id {
			led[int(region-firstRegion)] = l.Term
		}
	}
	return led
}

func (s *store) obey(stream pdpb.PD_RegionHeartbeatClient) {
	for {
		said, err := stream.Recv()
		if err != nil {
			return
		}
		to := said.GetTransferLeader().GetPeer()
		if to == nil || s.stubborn {
			continue
		}
		s.mutex.Lock()
		now, address := s.leads[said.RegionId], ""
		for _, peer := range s.peers {
			if peer.Id == to.StoreId {
				address = peer.Address
			}
		}
		s.mutex.Unlock()
		if now.Store == s.id && s.handOver(address, said.RegionId, now.Term+1) {
			log.Printf("region %d goes to store %d", said.RegionId, to.StoreId)
			s.hear(said.RegionId, lead{Term: now.Term + 1, Store: to.StoreId})
		}
	}
}

var peerClient = &http.Client{Timeout: time.Second}

func (s *store) handOver(address string, region, term uint64) bool {
	said, err := peerClient.Post(fmt.Sprintf("http://%s/lead?region=%d&term=%d", address, region, term), "", nil)
	if err != nil {
		return false
	}
	defer said.Body.Close()
	return said.StatusCode == http.StatusOK
}

func (s *store) hear(region uint64, of lead) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	of.heard = time.Now()
	if of.Term >= s.leads[region].Term {
		s.leads[region] = of
	}
}

// Asks the others what they lead; what nobody leads for a while goes to one of those that are there.
func (s *store) gossip(ctx context.Context) {
	for ; ctx.Err() == nil; time.Sleep(tick) {
		keepers := s.keepers()
		var alive []uint64
		for _, peer := range keepers {
			if peer.Id == s.id || s.hears(peer) {
				alive = append(alive, peer.Id)
			}
		}
		// Without a majority nobody is elected.
		if len(keepers) == 0 || len(alive) <= len(keepers)/2 {
			continue
		}
		for number := range s.regions {
			s.elect(uint64(firstRegion+number), alive[number%len(alive)])
		}
	}
}

func (s *store) elect(region, candidate uint64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now, known := s.leads[region]
	switch {
	case known && now.Store == s.id:
	case known && time.Since(now.heard) < 3*time.Second:
	case !known && time.Since(s.began) < 3*time.Second:
	case candidate == s.id:
		s.leads[region] = lead{Term: now.Term + 1, Store: s.id, heard: time.Now()}
	}
}

func (s *store) hears(peer *metapb.Store) bool {
	said, err := peerClient.Get("http://" + peer.Address + "/leads")
	led := map[uint64]uint64{}
	if err == nil {
		err = json.NewDecoder(said.Body).Decode(&led)
		_ = said.Body.Close()
	}
	s.mutex.Lock()
	if err != nil {
		if _, silent := s.silent[peer.Id]; !silent {
			s.silent[peer.Id] = time.Now()
		}
	} else {
		delete(s.silent, peer.Id)
	}
	s.mutex.Unlock()
	for region, term := range led {
		s.hear(region, lead{Term: term, Store: peer.Id})
	}
	return err == nil
}

func (s *store) web() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) {
		if !s.joined.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/leads", func(w http.ResponseWriter, _ *http.Request) {
		said := map[uint64]uint64{}
		for number, term := range s.led() {
			said[uint64(firstRegion+number)] = term
		}
		_ = json.NewEncoder(w).Encode(said)
	})
	mux.HandleFunc("/lead", func(w http.ResponseWriter, r *http.Request) {
		region, _ := strconv.ParseUint(r.FormValue("region"), 10, 64)
		term, _ := strconv.ParseUint(r.FormValue("term"), 10, 64)
		s.hear(region, lead{Term: term, Store: s.id})
	})
	return mux
}
