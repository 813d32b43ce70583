package main

import (
	"context"
	"log"
	"strings"
	"time"

	"github.com/pingcap/kvproto/pkg/metapb"
	"github.com/pingcap/kvproto/pkg/pdpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// The leader of PD, looked for again whenever it does not answer.
type pd struct {
	addresses []string
	conn      *grpc.ClientConn
	client    pdpb.PDClient
	cluster   uint64
}

func soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 2*time.Second)
}

func (p *pd) header() *pdpb.RequestHeader { return &pdpb.RequestHeader{ClusterId: p.cluster} }

func (p *pd) leader() (pdpb.PDClient, bool) {
	if p.client != nil {
		return p.client, true
	}
	for _, address := range p.addresses {
		if leader, cluster := whoLeads(address); leader != "" {
			conn, err := dial(leader)
			if err == nil {
				p.conn, p.client, p.cluster = conn, pdpb.NewPDClient(conn), cluster
				return p.client, true
			}
		}
	}
	return nil, false
}

func (p *pd) lost(why error) {
	log.Printf("PD: %v", why)
	if p.conn != nil {
		_ = p.conn.Close()
	}
	p.conn, p.client = nil, nil
}

func dial(address string) (*grpc.ClientConn, error) {
	return grpc.Dial(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
}

func whoLeads(address string) (string, uint64) {
	conn, err := dial(address)
	if err != nil {
		return "", 0
	}
	defer conn.Close()
	ctx, cancel := soon()
	defer cancel()
	said, err := pdpb.NewPDClient(conn).GetMembers(ctx, &pdpb.GetMembersRequest{})
	if err != nil || len(said.GetLeader().GetClientUrls()) == 0 {
		return "", 0
	}
	return strings.TrimPrefix(said.Leader.ClientUrls[0], "http://"), said.GetHeader().GetClusterId()
}

func (p *pd) allocate() uint64 {
	client, found := p.leader()
	if !found {
		return 0
	}
	ctx, cancel := soon()
	defer cancel()
	said, err := client.AllocID(ctx, &pdpb.AllocIDRequest{Header: p.header()})
	if err != nil {
		p.lost(err)
		return 0
	}
	return said.GetId()
}

// Every store that is not gone for good.
func (p *pd) stores() []*metapb.Store {
	client, found := p.leader()
	if !found {
		return nil
	}
	ctx, cancel := soon()
	defer cancel()
	said, err := client.GetAllStores(ctx, &pdpb.GetAllStoresRequest{Header: p.header(), ExcludeTombstoneStores: true})
	if err != nil {
		p.lost(err)
		return nil
	}
	return said.GetStores()
}
