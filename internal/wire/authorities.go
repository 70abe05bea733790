package wire

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxAuthorities bounds a file of certificates; that of a whole system has some 250 KB.
const maxAuthorities = 4 << 20

// Authorities reads the certificates of a PEM file, those of authorities that --ca-cert adds.
func Authorities(path string) ([]*x509.Certificate, error) {
	info, err := os.Stat(path)
	if at := new(fs.PathError); errors.As(err, &at) {
		return nil, fmt.Errorf("cannot read %s: %w", path, at.Err)
	} else if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxAuthorities))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	var found []*x509.Certificate
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d: %w", path, len(found)+1, err)
		}
		if !c.IsCA {
			return nil, fmt.Errorf("%s: certificate %d (%s) is not that of an authority, which signs others", path, len(found)+1, c.Subject)
		}
		found = append(found, c)
	}
	if found == nil {
		return nil, fmt.Errorf("%s has no certificate in PEM form (-----BEGIN CERTIFICATE-----)", path)
	}
	return found, nil
}

// Roots returns the authorities of the system and those of a PEM file, nil for an empty path.
func Roots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // those of the system
	}
	more, err := Authorities(path)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the authorities of the system: %w", err)
	}
	for _, c := range more {
		pool.AddCert(c)
	}
	return pool, nil
}
