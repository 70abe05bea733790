package journal

// Bytes returns what all records weigh.
func (j *Journal) Bytes() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bytes
}
