/** Formats of pages that are created through the API (contract 22, x.wikis_create). */
export const writableFormats = ['markdown', 'rdoc', 'asciidoc', 'org'] as const

type WritableFormat = (typeof writableFormats)[number]

/** File name extensions of pages by format. New files get the first one; the others can be pushed by git. */
const endings = {
  markdown: ['md', 'markdown', 'mdown', 'mkd', 'mkdn'],
  rdoc: ['rdoc'],
  asciidoc: ['asciidoc', 'adoc'],
  org: ['org'],
  textile: ['textile'],
  creole: ['creole'],
  rest: ['rst', 'rest'],
  mediawiki: ['mediawiki', 'wiki'],
  pod: ['pod'],
  plaintext: ['txt'],
} as const

export type Format = keyof typeof endings

const formats = new Map<string, Format>()
const ranks = new Map<string, number>()
for (const [format, names] of Object.entries(endings) as [Format, readonly string[]][]) {
  for (const name of names) {
    formats.set(name, format)
    ranks.set(name, ranks.size)
  }
}

/** The extension of new files of a format. */
export function endingOf(format: WritableFormat): string {
  return endings[format][0]
}

/** The format of files with this extension in any case; undefined for files that are not pages. */
export function formatOf(ending: string): Format | undefined {
  return formats.get(ending.toLowerCase())
}

/** Of two files with the same name, the one with the lower rank is the page. */
export function rankOf(ending: string): number {
  return ranks.get(ending.toLowerCase()) ?? ranks.size
}
