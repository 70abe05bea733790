package axe

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// released is the SHA-256 of axe.min.js in the npm package axe-core 4.14.1.
const released = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

// TestSource: the script is the published one, with its notice, and its licence is beside it.
func TestSource(t *testing.T) {
	t.Parallel()
	script, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256([]byte(script)); hex.EncodeToString(sum[:]) != released {
		t.Errorf("the script is another one: %x", sum)
	}
	if !strings.HasPrefix(script, "/*! axe v4.14.1\n * Copyright (c) 2015") {
		t.Errorf("the notice is missing: %.100s", script)
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil || !strings.Contains(string(licence), "Mozilla Public License, version 2.0") {
		t.Errorf("the licence is missing: %v", err)
	}
}
