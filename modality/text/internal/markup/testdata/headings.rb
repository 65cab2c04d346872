# Prints the sections of AsciiDoc files, whose names come on standard input, as
# JSON: a list for every file, of {"Level", "Line", "Text"}.
require "asciidoctor"
require "cgi"
require "json"

Asciidoctor::LoggerManager.logger.level = 5

def visible(title)
  text = CGI.unescapeHTML(title.to_s.gsub(/<[^>]*>/, "")).gsub(/&#(\d+);/) { [$1.to_i].pack("U") }
  text = text.gsub("\u2019", "'").gsub(/\u2009?\u2014[\u2009\u200b]?/) { $&.include?("\u2009") ? " -- " : "--" }
  text.tr("\u2192", ">").gsub(" > ", " -> ").gsub("\u2026\u200b", "...").split.join(" ") # typography that the source does not have
end

def visit(node, level, found)
  node.sections.each do |section|
    found << { "Level" => level, "Line" => section.lineno || 0, "Text" => visible(section.title) }
    visit(section, level + 1, found)
  end
end

answers = STDIN.read.split("\n").map do |name|
  text = File.read(name, encoding: "UTF-8").gsub(/\r\n?/, "\n").delete("\u0000").delete("\ufeff")
  doc = Asciidoctor.load(text, safe: :secure, sourcemap: true)
  found = []
  if doc.header && doc.header.title
    found << { "Level" => 1, "Line" => doc.header.lineno || 0, "Text" => visible(doc.doctitle) }
    visit(doc, 2, found)
  else
    visit(doc, 1, found)
  end
  found
end
puts JSON.generate(answers)
