package pdf

var ISODate = isoDate
