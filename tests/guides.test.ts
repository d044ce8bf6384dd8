/**
 * The commands and programs of the guides that are marked by `<!-- tried -->`, as readers run them; and the trials of `npm run guides`,
 * which have all others, as far as it can be told without the tools that they need.
 */
import { globSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runProgram, startTestServer, type TestServer, temporaryDirectory } from '../src/testing/index.ts'
import { blocksOf } from './guides/blocks.ts'
import { scriptOf } from './guides/script.ts'
import { trials, untried } from './guides/trials.ts'

const root = join(import.meta.dirname, '..')
/** The package that programs import, joined from the sources: it loads in a fraction of the time. */
const packaged = join(root, '.cache', 'guides')

type Block = { language: string; text: string }

/** The marked blocks of a guide, in order. */
async function triedBlocks(guide: string): Promise<Block[]> {
  const text = await readFile(join(root, 'docs/guides', guide), 'utf8')
  const found = text.matchAll(/^<!-- tried -->\n```(\w+)\n(.*?)^```$/gms)
  return [...found].map(([, language = '', block = '']) => ({ language, text: block }))
}

let server: TestServer
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  const { bundle } = await import(join(root, 'scripts/bundle.mjs'))
  await bundle(join(root, 'src/index.ts'), packaged)
  server = await startTestServer()
  folder = await temporaryDirectory()
})
beforeEach(() => server.reset())
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

/** A folder as a reader has it: with `data/root-token` and the packages. */
async function readersFolder(guide: string): Promise<string> {
  const path = join(folder.path, guide)
  await mkdir(join(path, 'data'), { recursive: true })
  await writeFile(join(path, 'data/root-token'), `${server.rootToken}\n`)
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  return path
}

/** The server of the test in place of the one that guides name, and what it names `fennec` where it is. */
const asHere = (text: string) =>
  text.replaceAll('http://127.0.0.1:8080', server.url).replaceAll("'fennec'", `'${join(packaged, 'index.js')}'`)

const person = { GIT_AUTHOR_NAME: 'Reader', GIT_AUTHOR_EMAIL: 'reader@example.com' }
const committer = { GIT_COMMITTER_NAME: 'Reader', GIT_COMMITTER_EMAIL: 'reader@example.com' }
const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', ...person, ...committer }

/** An answer that is an error ends a command. */
const strictCurl = 'curl() { command curl --fail-with-body --silent --show-error "$@"; }\n'

async function run(binary: string, parameters: string[], cwd: string) {
  expect(await runProgram({ binary, parameters, cwd, env })).toMatchObject({ code: 0 })
}

describe.each(['first-hour.md', 'clients.md', 'testing.md'])('%s', (guide) => {
  test('has commands that work, one after another', async () => {
    const blocks = await triedBlocks(guide)
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
    expect(commands.length).toBeGreaterThan(0)
    const path = await readersFolder(guide)
    await run('bash', ['-euc', strictCurl + asHere(commands.join('\n'))], path)
    const programs = blocks.filter(({ language }) => language === 'js')
    const files = programs.map((_, index) => join(path, `program-${index}.mjs`))
    await Promise.all(files.map((file, index) => writeFile(file, asHere(programs[index]?.text ?? ''))))
    await Promise.all(files.map((file) => run(process.execPath, [file], path)))
  })
})

describe('the trials of `npm run guides`', () => {
  const keyOf = (document: string, { of, block }: { of: string; block: number }) => `${document} > ${of} > ${block}`

  test('have each block of the guides, or say why not', () => {
    const guides = globSync('docs/guides/*.md', { cwd: root })
    const blocks = guides.flatMap((guide) => blocksOf(guide).map((block) => keyOf(guide, block)))
    const used = trials.flatMap(({ document, steps }) =>
      steps.flatMap((step) => ('sh' in step ? [] : [keyOf(document, step)])),
    )
    const named = untried.map((block) => keyOf(block.document, block))
    expect(blocks.filter((block) => !used.includes(block) && !named.includes(block))).toEqual([])
    expect(named.filter((block) => !blocks.includes(block) || used.includes(block))).toEqual([])
  })

  test.each(trials)('$document: $name finds in the guide what it runs and replaces', async (trial) => {
    const script = scriptOf(trial, {})
    expect(await runProgram({ binary: 'bash', parameters: ['-n'], env, input: script })).toMatchObject({ code: 0 })
  })
})
