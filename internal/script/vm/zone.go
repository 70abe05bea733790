package vm

import (
	"strconv"
	"time"
)

// zoneNames are the names that dates have in their texts, as Node writes them in English, by the abbreviation and offset of the time zone
// database. Zones that are not here have their offset in the place of a name.
var zoneNames = map[string]string{
	"UTC+00:00": "Coordinated Universal Time", "GMT+00:00": "Greenwich Mean Time", "BST+01:00": "British Summer Time", "IST+01:00": "Irish Standard Time",
	"WET+00:00": "Western European Standard Time", "WEST+01:00": "Western European Summer Time",
	"CET+01:00": "Central European Standard Time", "CEST+02:00": "Central European Summer Time",
	"EET+02:00": "Eastern European Standard Time", "EEST+03:00": "Eastern European Summer Time", "MSK+03:00": "Moscow Standard Time",
	"IST+02:00": "Israel Standard Time", "IDT+03:00": "Israel Daylight Time", "SAST+02:00": "South Africa Standard Time",
	"CAT+02:00": "Central Africa Time", "EAT+03:00": "East Africa Time", "WAT+01:00": "West Africa Standard Time",
	"IST+05:30": "India Standard Time", "PKT+05:00": "Pakistan Standard Time", "CST+08:00": "China Standard Time", "HKT+08:00": "Hong Kong Standard Time",
	"PST+08:00": "Philippine Standard Time", "WIB+07:00": "Western Indonesia Time", "JST+09:00": "Japan Standard Time", "KST+09:00": "Korean Standard Time",
	"AWST+08:00": "Australian Western Standard Time", "ACST+09:30": "Australian Central Standard Time", "ACDT+10:30": "Australian Central Daylight Time",
	"AEST+10:00": "Australian Eastern Standard Time", "AEDT+11:00": "Australian Eastern Daylight Time",
	"NZST+12:00": "New Zealand Standard Time", "NZDT+13:00": "New Zealand Daylight Time",
	"HST-10:00": "Hawaii-Aleutian Standard Time", "AKST-09:00": "Alaska Standard Time", "AKDT-08:00": "Alaska Daylight Time",
	"PST-08:00": "Pacific Standard Time", "PDT-07:00": "Pacific Daylight Time", "MST-07:00": "Mountain Standard Time", "MDT-06:00": "Mountain Daylight Time",
	"CST-06:00": "Central Standard Time", "CDT-05:00": "Central Daylight Time", "EST-05:00": "Eastern Standard Time", "EDT-04:00": "Eastern Daylight Time",
	"AST-04:00": "Atlantic Standard Time", "ADT-03:00": "Atlantic Daylight Time", "NST-03:30": "Newfoundland Standard Time", "NDT-02:30": "Newfoundland Daylight Time",
}

// zone returns the name of the local time zone at a time, in milliseconds since 1970.
func (m *machine) zone(args []value) (value, error) {
	texts, err := m.texts(args, 1)
	if err != nil {
		return undefined, err
	}
	at, err := strconv.ParseInt(texts[0], 10, 64)
	if err != nil {
		return undefined, errArguments
	}
	local := time.UnixMilli(at)
	offset := local.Format("-07:00")
	name, _ := local.Zone()
	if known := zoneNames[name+offset]; known != "" {
		return m.text(known), nil
	}
	return m.text("GMT" + offset), nil
}
