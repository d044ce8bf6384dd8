import type { Language as Known } from 'linguist-languages'

/** Of several languages with one extension these are the usual ones. */
const usual: Readonly<Record<string, string>> = {
  '.h': 'C',
  '.html': 'HTML',
  '.m': 'Objective-C',
  '.md': 'Markdown',
  '.t': 'Perl',
  '.v': 'Verilog',
}

type Candidate = { language: Known; place: number }

/** Whether the first fits an extension better: it has a mode of its own in editors, or the extension is nearer to its first. */
function isBetter(one: Candidate, other: Candidate): boolean {
  const hasMode = ({ language }: Candidate) => language.aceMode !== 'text'
  if (hasMode(one) !== hasMode(other)) return hasMode(one)
  return one.place < other.place
}

/** Texts and data are not counted. */
const isCounted = ({ type }: Known) => type === 'programming' || type === 'markup'

/** The language of each extension; of an extension that is not counted, null. */
function chosenByExtension(languages: readonly Known[]): Map<string, string | null> {
  const chosen = new Map<string, Candidate>()
  for (const language of languages) {
    for (const [place, extension] of (language.extensions ?? []).entries()) {
      const key = extension.toLowerCase()
      const other = chosen.get(key)
      const isUsual = usual[key] === language.name
      const hasUsual = other !== undefined && usual[key] === other.language.name
      const candidate = { language, place }
      if (!other || isUsual || (!hasUsual && isBetter(candidate, other))) chosen.set(key, candidate)
    }
  }
  return new Map(
    [...chosen].map(([extension, { language }]) => [extension, isCounted(language) ? language.name : null]),
  )
}

type Detector = (fileName: string) => string | null

let loading: Promise<Detector> | undefined

async function load(): Promise<Detector> {
  const languages = Object.values(await import('linguist-languages')) as Known[]
  const byExtension = chosenByExtension(languages)
  const named = languages
    .filter(isCounted)
    .flatMap(({ name, filenames = [] }) => filenames.map((file) => [file, name] as const))
  const byName = new Map(named)
  return (fileName) => {
    const known = byName.get(fileName)
    if (known !== undefined) return known
    // The longest extension counts: `.d.ts` before `.ts`.
    const parts = fileName.toLowerCase().split('.').slice(1)
    for (let from = 0; from < parts.length; from += 1) {
      const found = byExtension.get(`.${parts.slice(from).join('.')}`)
      if (found !== undefined) return found
    }
    return null
  }
}

/**
 * The programming or markup language of a file by its name; null for texts, data and what is not known. The table of 800
 * languages is loaded with the first call.
 */
export const languageDetector = (): Promise<Detector> => (loading ??= load())

const vendored = /(^|\/)(node_modules|vendor|third_party|bower_components|dist|deps)\//

/** Whether a file was probably not written for the project. */
export const isVendored = (path: string): boolean => vendored.test(path) || /[.-]min\.(js|css)$/.test(path)
