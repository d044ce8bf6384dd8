import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { feed, git } from './history.ts'

const packages = fileURLToPath(new URL('../node_modules', import.meta.url))
const kinds = '**/*.{ts,js,mjs,cjs,md,json,css,h}'
/** Larger files are mostly data, or code that a program wrote. */
const largestFile = 60_000

/** A name of several words, such as `userName` and `user_name`. */
const names = /\b[A-Za-z]+(?:_[a-z]+|[a-z][A-Z][a-z]+)+\w*\b/g
const wordsOfName = /[A-Z]?[a-z]{3,}/g

/** A number that looks like any, the same in every run. */
function hashOf(text: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Gives the words of a name others of the vocabulary, the same ones in all files of a copy. */
function renaming(vocabulary: readonly string[], copy: number): (text: string) => string {
  const known = new Map<string, string>()
  const wordFor = (word: string) => {
    const other = vocabulary[hashOf(word.toLowerCase(), copy) % vocabulary.length] ?? word
    return /^[A-Z]/.test(word) ? `${other[0]?.toUpperCase()}${other.slice(1)}` : other
  }
  const nameFor = (name: string) => {
    const seen = known.get(name) ?? name.replace(wordsOfName, wordFor)
    known.set(name, seen)
    return seen
  }
  return (text) => (copy === 0 ? text : text.replace(names, nameFor))
}

/** Sources as people write them: those of the packages that are installed here, by path. */
function installedSources(): { path: string; text: string }[] {
  const paths = globSync(kinds, { cwd: packages }).toSorted()
  return paths.flatMap((path) => {
    const stat = statSync(join(packages, path))
    if (!stat.isFile() || stat.size > largestFile) return []
    return { path, text: readFileSync(join(packages, path), 'utf8') }
  })
}

function vocabularyOf(sources: readonly { text: string }[]): string[] {
  const words = new Set<string>()
  for (const { text } of sources) {
    for (const [name] of text.matchAll(names))
      for (const [word] of name.matchAll(wordsOfName)) words.add(word.toLowerCase())
  }
  return [...words].toSorted()
}

type Part = {
  /** How many bytes of text. */
  bytes: number
  /** The number of the first copy: copies of other numbers have other names. */
  firstCopy: number
  /** Lines that are added to the end of some files, by the number of the file. */
  added: Readonly<Record<number, string>>
}

function* streamOf(
  sources: readonly { path: string; text: string }[],
  vocabulary: readonly string[],
  { bytes, firstCopy, added }: Part,
): Generator<string> {
  yield 'commit refs/heads/main\ncommitter Bench <bench@example.com> 1700000000 +0000\ndata 7\nsources\n'
  let [written, file] = [0, 0]
  for (let copy = firstCopy; written < bytes; copy += 1) {
    const rename = renaming(vocabulary, copy)
    for (const { path, text } of sources) {
      if (written >= bytes) return
      const content = `${rename(text)}${added[file] ?? ''}`
      const length = Buffer.byteLength(content)
      yield `M 100644 inline copy-${copy}/${path}\ndata ${length}\n${content}\n`
      written += length
      file += 1
    }
  }
}

/** Makes bare repositories of sources in one commit each: the installed packages, again and again with other names. */
export async function makeSources(parts: Readonly<Record<string, Part>>): Promise<void> {
  const sources = installedSources()
  const vocabulary = vocabularyOf(sources)
  for (const [folder, part] of Object.entries(parts)) {
    await git('.', 'init', '--quiet', '--bare', '--initial-branch=main', folder)
    await git(folder, 'config', 'core.compression', '1')
    await feed(folder, ['fast-import', '--quiet'], streamOf(sources, vocabulary, part))
  }
}
