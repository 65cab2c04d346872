package image

import "testing"

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2024":                      "2024",
		"2024-02":                   "2024-02",
		"2024-02-29":                "2024-02-29",
		"2024-02-29T23:59":          "2024-02-29T23:59",
		"2024-02-29T23:59Z":         "2024-02-29T23:59Z",
		"2024-02-29T23:59:58.25":    "2024-02-29T23:59:58.25",
		"2024-02-29T23:59:58+05:30": "2024-02-29T23:59:58+05:30",
		"2023-02-29":                "",
		"2024-13":                   "",
		"2024-00-00":                "",
		"2024-02-01T24:00:00":       "",
		"2024-02-01T10:61":          "",
		"0000-01-01":                "",
		"yesterday":                 "",
	} {
		if got := isoDate(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for _, test := range [][3]string{
		{"20240229", "235958+0530", "2024-02-29T23:59:58+05:30"},
		{"20240229", "", "2024-02-29"},
		{"20230229", "", ""},
		{"00000101", "", ""},
	} {
		if got := iptcTimeOf(test[0], test[1]); got != test[2] {
			t.Errorf("%s %s is %q, want %q", test[0], test[1], got, test[2])
		}
	}
	if got := creationTime("0000:01:01 00:00:00"); got != "" {
		t.Errorf("the year 0 is %q", got)
	}
}
