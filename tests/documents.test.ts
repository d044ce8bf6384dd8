import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settings } from '../src/config/settings.ts'
import { generated, pathOf } from './documents/generated.ts'

test.each(Object.entries(generated))('%s is what the program has; `npm run docs` writes it', async (name, write) => {
  expect(readFileSync(pathOf(name), 'utf8'), 'run: npm run docs').toBe(await write())
})

/** The documents for readers; the contract and the decisions are checked where they are used. */
const documents = globSync(['*.md', 'docs/*.md', 'docs/guides/*.md'], { cwd: pathOf('.') }).sort()

/** The name of a heading in an address: lower case, hyphens for spaces, letters, digits and hyphens only. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\d -]/gu, '')
    .replaceAll(' ', '-')

const prose = (text: string) => text.replace(/^```.*?^```$/gms, '')
const anchorsOf = (path: string) =>
  [...prose(readFileSync(path, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Links of a document that lead to no file, or to no heading. */
function brokenLinks(name: string): string[] {
  const links = [...prose(readFileSync(pathOf(name), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? pathOf(name) : join(dirname(pathOf(name)), file)
    if (!existsSync(target)) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
}

/** A variable that Kubernetes sets, of which a guide warns. */
const foreign = ['FENNEC_PORT']

/** A command that asks a registry for `fennec`: `npx` without `--no`, or an installation by the name instead of by a file. */
const foreignProgram =
  /\bnpx (?!.*--no\b)[^`\n]*\bfennec\b|\b(npm|pnpm|yarn|bun) (install|i|add|exec|create|dlx|x)\b[^`\n]*(?<=\s)fennec(@[\w.]+)?(?=[\s`]|$)/gm

test('a command that fetches the program of another is noticed', () => {
  const fetching = [
    'npx fennec',
    'npx -y fennec serve',
    'npm install --global fennec  # x',
    'pnpm add -D fennec@1.2.3',
    'npm i fennec',
  ]
  const safe = [
    'npx --no -- fennec serve',
    'npm install --save-dev ./vendor/fennec-0.1.0.tgz',
    'npm pack ../fennec --pack-destination vendor',
  ]
  for (const text of fetching) expect(text.match(foreignProgram), text).not.toBeNull()
  for (const text of safe) expect(text.match(foreignProgram), text).toBeNull()
})

describe.each(documents)('%s', (name) => {
  test('links to files and headings that exist', () => {
    expect(brokenLinks(name)).toEqual([])
  })

  test('has no command that fetches the program of another from the public registry, whose name is `fennec` there', () => {
    const commands = readFileSync(pathOf(name), 'utf8').match(foreignProgram) ?? []
    expect(commands).toEqual([])
  })

  test('names settings that exist', () => {
    const named = readFileSync(pathOf(name), 'utf8').match(/\bFENNEC_[A-Z_]*[A-Z]\b/g) ?? []
    const own = named.filter((one) => !one.startsWith('FENNEC_TEST_') && !foreign.includes(one))
    expect(own.filter((one) => !Object.hasOwn(settings, one))).toEqual([])
  })
})
