package workspace

import (
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// fileNumber identifies the open file by its volume and index, or by its path
// if the file system has no index.
func fileNumber(f *os.File, path string) string {
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info)
	index := uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	if err != nil || index == 0 {
		return "." + checksum([]byte(path))
	}
	return "." + strconv.FormatUint(index, 36) + "." + strconv.FormatUint(uint64(info.VolumeSerialNumber), 36)
}
