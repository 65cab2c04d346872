package segment

// Reseal makes the checksums of a segment right.
func Reseal(data []byte) {
	if len(data) < len(magic)+footerSize {
		return
	}
	tail := data[len(data)-footerSize:]
	little.PutUint32(tail[footerSize-4:], checksum(tail[:footerSize-4]))
	f, err := decodeFooter(data)
	if err != nil {
		return
	}
	index := f.sections[groupSection]
	groups := data[index.offset : index.offset+index.size]
	for at := 0; at+groupEntry <= len(groups); at += groupEntry {
		first, last := little.Uint64(groups[at+4:]), f.lists.offset+f.lists.size
		if at+2*groupEntry <= len(groups) {
			last = little.Uint64(groups[at+groupEntry+4:])
		}
		if first <= last && last <= uint64(len(data)) {
			little.PutUint32(groups[at+12:], checksum(data[first:last]))
		}
	}
	for i := range f.sections {
		s := &f.sections[i]
		s.checksum = checksum(data[s.offset : s.offset+s.size])
	}
	copy(tail, f.encode())
}
