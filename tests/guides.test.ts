/** The commands and programs of the guides that are marked by `<!-- tried -->`, as readers run them. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runProgram, startTestServer, type TestServer, temporaryDirectory } from '../src/testing/index.ts'

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
