/** The blocks of code of a document. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export type Block = { of: string; block: number; language: string; text: string }

/**
 * The blocks in the order of the document, each with the heading above it and its number below that heading.
 * @param document a path from the root of the project
 */
export function blocksOf(document: string): Block[] {
  const found: Block[] = []
  let heading = ''
  let open: Block | undefined
  for (const line of readFileSync(`${root}/${document}`, 'utf8').split('\n')) {
    const fence = /^ *```(\w*)$/.exec(line)
    if (open && fence) {
      found.push(open)
      open = undefined
    } else if (open) {
      open.text += `${line}\n`
    } else if (fence) {
      const block = found.filter(({ of }) => of === heading).length + 1
      open = { of: heading, block, language: fence[1] ?? '', text: '' }
    } else {
      heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading
    }
  }
  return found
}

/**
 * The code between the lines of a document that begins with these words, in one line.
 * @throws Error when there is none
 */
export function inlineOf(document: string, words: string): string {
  const prose = readFileSync(`${root}/${document}`, 'utf8').replaceAll(/^```.*?^```$/gms, '')
  const found = prose.matchAll(/`([^`]+)`/g)
  const texts = [...found].map(([, text = '']) => text.replaceAll(/\s+/g, ' '))
  const text = texts.find((one) => one.startsWith(words))
  if (!text) throw new Error(`${document} has no code that begins with ${words}`)
  return text
}
