/** What a start loads costs time and memory on every server: what few requests need is loaded when it is first used. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../src/testing/index.ts'
import { program } from './program.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Packages for a purpose that most servers do not have all the time, or at all. */
const later = [
  ...['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner', '@opentelemetry/api', '@opentelemetry/sdk-trace'],
  ...[
    'busboy',
    'esbuild',
    'graphql',
    'highlight.js',
    'linguist-languages',
    'markdown-it',
    'nodemailer',
    'openpgp',
    'otpauth',
  ],
  ...['pg', 'pino-pretty', 'sax', 'ssh2', 'swagger-ui-dist', 'yauzl', 'yazl'],
]

/** Writes down what a process has loaded when it ends: the files of packages, and Node's own modules. */
const noting = (file: string) => `
  import { registerHooks } from 'node:module'
  import { writeFileSync } from 'node:fs'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify({ urls, own: process.moduleLoadList })))
`

const packageOf = (url: string) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]

test('a server that starts loads no package that it does not need yet', async () => {
  await using folder = await temporaryDirectory()
  const [hook, noted] = [join(folder.path, 'hook.mjs'), join(folder.path, 'loaded.json')]
  await writeFile(hook, noting(noted))
  const child = spawn(process.execPath, ['--import', hook, program], {
    env: { PATH: process.env.PATH, FENNEC_DATA: join(folder.path, 'data'), FENNEC_LISTEN: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.setEncoding('utf8')
  while (!output.includes('Reference:')) output += (await once(child.stdout, 'data'))[0]
  child.stdout.resume()
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  const { urls, own } = JSON.parse(await readFile(noted, 'utf8')) as { urls: string[]; own: string[] }
  const packages = new Set(urls.flatMap((url) => packageOf(url) ?? []))
  expect(packages).toContain('fastify')
  expect(later.filter((name) => packages.has(name))).toEqual([])
  expect(own).toContain('NativeModule http')
  // The client of `fetch`.
  expect(own.filter((name) => name.includes('undici'))).toEqual([])
})
