package media

import "strings"

// sameLanguage reports whether two tags, of BCP 47 or ISO 639-2, are known and
// of the same language, ignoring regions: "eng" and "en-GB" are.
func sameLanguage(a, b string) bool {
	a, b = language(a), language(b)
	return a == b && a != ""
}

// language returns the language of a tag as in BCP 47, which prefers the
// two-letter code.
func language(tag string) string {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if i := strings.Index(threeLetters, " "+primary+"="); len(primary) == 3 && i >= 0 {
		return threeLetters[i+5 : i+7]
	}
	return primary
}

// threeLetters maps ISO 639-2 codes, bibliographic and terminological, to
// ISO 639-1 codes, for the languages most often spoken in recordings.
const threeLetters = " afr=af amh=am ara=ar aze=az bel=be ben=bn bos=bs bul=bg cat=ca ces=cs chi=zh cym=cy cze=cs dan=da deu=de" +
	" dut=nl ell=el eng=en est=et eus=eu baq=eu fas=fa fin=fi fra=fr fre=fr geo=ka ger=de gle=ga glg=gl gre=el guj=gu hau=ha heb=he" +
	" hin=hi hrv=hr hun=hu hye=hy arm=hy ice=is ind=id isl=is ita=it jpn=ja kan=kn kat=ka kaz=kk khm=km kor=ko lao=lo lav=lv lit=lt" +
	" mac=mk mal=ml mar=mr may=ms mkd=mk mon=mn msa=ms mya=my bur=my nep=ne nld=nl nob=nb nor=no pan=pa per=fa pol=pl por=pt ron=ro" +
	" rum=ro rus=ru sin=si slk=sk slo=sk slv=sl som=so spa=es sqi=sq alb=sq srp=sr swa=sw swe=sv tam=ta tel=te tha=th tur=tr ukr=uk" +
	" urd=ur uzb=uz vie=vi wel=cy yor=yo zho=zh zul=zu "
