import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/git/git.ts'
import { branchRef, type Oid, type RefName, ZERO_SHA1 } from '../model/names.ts'
import type { RefChange } from '../model/types.ts'
import { type HookQuestion, questionReader, reportAnswer } from './gate.ts'
import { packet } from './push-testing.ts'

const program = fileURLToPath(new URL('../hooks/proc-receive', import.meta.url))

/** Creates branches; their names have about 100 bytes. */
const changesOf = (count: number): RefChange[] =>
  Array.from({ length: count }, (_, index) => ({
    ref: branchRef(`${'x'.repeat(90)}${index}`) as RefName,
    old: ZERO_SHA1,
    new: 'a'.repeat(40) as Oid,
  }))

/** Takes the place of receive-pack: starts the hook with a pipe as git does, and hears what the hook asks the server. */
async function startHook(folder: string) {
  const fifo = join(folder, 'commands')
  await promisify(execFile)('mkfifo', [fifo])
  // Each waits for the other.
  const [theirs, commands] = await Promise.all([open(fifo, 'r'), open(fifo, 'w')])
  const hook = spawn(program, [], { env: { PATH: process.env.PATH }, stdio: [theirs.fd, 'pipe', 'inherit', 'pipe'] })
  const ended = once(hook, 'exit')
  await theirs.close()
  const gate = hook.stdio[3] as Duplex
  const { promise: asked, resolve } = Promise.withResolvers<HookQuestion>()
  gate.on('data', questionReader(resolve))
  const report = (hook.stdout as Duplex).toArray().then((chunks) => Buffer.concat(chunks).toString())
  return { commands, asked, report, answer: (bytes: Buffer) => gate.write(bytes), ended }
}

/** What receive-pack writes: the version, then the commands. */
const version = Buffer.concat([packet('version=1\0push-options atomic\n'), Buffer.from('0000')])
const commandsOf = (changes: readonly RefChange[]) =>
  Buffer.concat([...changes.map(({ ref, old, new: target }) => packet(`${old} ${target} ${ref}`)), Buffer.from('0000')])

const reported = (changes: readonly RefChange[]) =>
  `000eversion=1\n0000${changes.map(({ ref }) => packet(`ok ${ref}`)).join('')}0000`

// A write without a reader is a broken pipe, which git reports as a failed push.
test.each([
  ['the version', 1, false],
  ['the version', 10, false],
  ['the version', 2_000, false],
  ['the commands', 1, true],
  ['the commands', 2_000, true],
])(
  'the hook leaves a reader for %s (%i refs), which git writes after the hook has ended',
  async (_what, count, isFirst) => {
    await using folder = await temporaryDirectory()
    const changes = changesOf(count)
    const { commands, asked, report, answer, ended } = await startHook(folder.path)
    if (isFirst) await commands.writeFile(version)
    expect(await asked).toMatchObject({ hook: 'proc-receive', changes: [] })
    answer(reportAnswer(changes, new Map(), []))
    expect(await ended).toEqual([0, null])
    if (!isFirst) await commands.writeFile(version)
    await commands.writeFile(commandsOf(changes))
    await commands.close()
    expect(await report).toBe(reported(changes))
  },
)

test('what git writes is read before the server has answered', async () => {
  await using folder = await temporaryDirectory()
  const changes = changesOf(2_000)
  const { commands, asked, report, answer, ended } = await startHook(folder.path)
  await asked
  await commands.writeFile(version)
  await commands.writeFile(commandsOf(changes))
  answer(reportAnswer(changes, new Map(), []))
  expect(await ended).toEqual([0, null])
  await commands.close()
  expect(await report).toBe(reported(changes))
})
