package cdptest

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Listeners returns the addresses at which processes listen for TCP connections, as the kernel lists them.
func Listeners(pids []int) ([]string, error) {
	at, err := listening()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, pid := range pids {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name, err := os.Readlink(f)
			if errors.Is(err, fs.ErrNotExist) { // closed meanwhile
				continue
			}
			if err != nil {
				return nil, err
			}
			if address, ok := at[name]; ok {
				found = append(found, address)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Descendants returns the processes that a process has started, and those that they have.
func Descendants(root int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil { // it has ended
			continue
		}
		pid, parent := 0, 0
		end := strings.LastIndex(string(b), ")") // the name before it may hold anything
		if _, err := fmt.Sscan(string(b), &pid); err != nil || end < 0 {
			return nil, fmt.Errorf("%s cannot be read: %q", path, b)
		}
		var state string
		if _, err := fmt.Sscan(string(b[end+1:]), &state, &parent); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		children[parent] = append(children[parent], pid)
	}
	all := slices.Clone(children[root])
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all, nil
}

// listening maps the sockets that listen, as links to file descriptors name them, to their addresses.
func listening() (map[string]string, error) {
	const listen = "0A"
	at := map[string]string{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if errors.Is(err, fs.ErrNotExist) { // no IPv6
			continue
		}
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if words := strings.Fields(lines.Text()); len(words) > 9 && words[3] == listen {
				at["socket:["+words[9]+"]"] = endpointOf(words[1])
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// endpointOf reads an address as /proc writes it: words of four bytes in the machine's order, here the least first.
func endpointOf(s string) string {
	host, port, _ := strings.Cut(s, ":")
	b, err := hex.DecodeString(host)
	n, err2 := strconv.ParseUint(port, 16, 16)
	if err != nil || err2 != nil {
		return s
	}
	for i := 0; i+4 <= len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	ip, _ := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(ip, uint16(n)).String()
}
