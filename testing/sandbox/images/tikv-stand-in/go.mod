module belay.dev/sandbox/tikv-stand-in

go 1.26.0

require (
	github.com/pingcap/kvproto v0.0.0-20240222024302-881fcbf5bc41
	google.golang.org/grpc v1.62.1
)

require (
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/protobuf v1.5.3 // indirect
	golang.org/x/net v0.20.0 // indirect
	golang.org/x/sys v0.16.0 // indirect
	golang.org/x/text v0.14.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240123012728-ef4313101c80 // indirect
	google.golang.org/protobuf v1.32.0 // indirect
)
