// A server that answers lines: "slow" after a pause, anything else at once.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"time"
)

func serve(connection net.Conn) {
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		if lines.Text() == "slow" {
			time.Sleep(200 * time.Millisecond)
		}
		fmt.Fprintln(connection, "ok")
	}
	connection.Close()
}

func main() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		panic(err)
	}
	for {
		connection, err := listener.Accept()
		if err == nil {
			go serve(connection)
		}
	}
}
