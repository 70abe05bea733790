package run

import (
	"crypto/x509"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/wire"
)

// Roots returns the authorities of the system and those of a PEM file, nil for an empty path. where says where the path is
// from, such as --ca-cert, for the error.
func Roots(path, where string) (*x509.CertPool, error) {
	roots, err := wire.Roots(path)
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "%s: %w; nothing was done", where, err).
			WithHint("Give a PEM file with the certificates of authorities, as servers and companies hand them out (-----BEGIN CERTIFICATE-----); without it, the authorities of the system are trusted.")
	}
	return roots, nil
}
