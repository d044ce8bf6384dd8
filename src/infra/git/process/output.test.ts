import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, git, openTestGit, openTestRunner, type TestGit } from '../testing.ts'
import type { Command } from './command.ts'
import { outputOf, recordsOf } from './output.ts'
import type { RunningJob } from './spawner/spawner.ts'

let own: TestGit
let repository: Repository
let commit: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  commit = await commitFiles(repository, { a: '1' })
})
afterAll(() => own[Symbol.asyncDispose]())

async function printing(content: string | Buffer): Promise<Command> {
  const oid = (await git(['-C', repository.directory, 'hash-object', '-w', '--stdin'], { input: content })) as Oid
  return { subcommand: 'cat-file', flags: ['-p'], operands: [oid], directory: repository.directory }
}

/** A command whose output is no longer read is killed, or notices it and ends by itself. Either way it does not complete. */
const howItEnded = ({ exit }: RunningJob) =>
  exit.then(
    ({ exitCode }) => (exitCode === 0 ? 'whole' : 'early'),
    ({ code }) => (code === 'aborted' ? 'early' : code),
  )

const texts = async (records: AsyncIterable<Buffer>) => Array.fromAsync(records, (record) => record.toString('latin1'))

describe('records', () => {
  test.each([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\n\nb', ['a', '', 'b']],
    ['\n', ['']],
    ['a\0b\n\xff', ['a\0b', '\xff']],
  ])('of %j', async (content, expected) => {
    await using runner = await openTestRunner()
    const command = await printing(Buffer.from(content, 'latin1'))
    expect(await texts(recordsOf(runner.runner, command))).toEqual(expected)
  })

  test('are complete for any division into chunks', async () => {
    await using runner = await openTestRunner()
    const expected = Array.from({ length: 3_000 }, (_, index) => 'x'.repeat((index * 7_919) % 400) + index)
    expected[1_000] = 'y'.repeat(900_000)
    expect(await texts(recordsOf(runner.runner, await printing(expected.join('\n'))))).toEqual(expected)
  })

  test('above the size limit are refused, and the command is ended', async () => {
    await using runner = await openTestRunner()
    const command = await printing('z'.repeat(20_000_000))
    await expect(texts(recordsOf(runner.runner, command))).rejects.toMatchObject({ code: 'too_large' })
    expect(await howItEnded(runner.jobs[0]!)).toBe('early')
  })
})

describe('the output of a command', () => {
  test('ends the command when the reader stops, and releases the slot', async () => {
    await using runner = await openTestRunner({ concurrentCommands: 1 })
    const command = await printing('q'.repeat(20_000_000))
    for (let round = 0; round < 3; round += 1) {
      for await (const chunk of outputOf(runner.runner, command)) if (chunk.length > 0) break
      expect(await howItEnded(runner.jobs[round]!)).toBe('early')
    }
  })

  test('fails when the command is aborted', async () => {
    await using runner = await openTestRunner()
    const controller = new AbortController()
    const read = async () => {
      const command = await printing('p'.repeat(20_000_000))
      for await (const _ of outputOf(runner.runner, command, { signal: controller.signal })) controller.abort()
    }
    await expect(read()).rejects.toMatchObject({ code: 'aborted' })
  })

  test('fails when the command is killed, instead of ending early', async () => {
    await using runner = await openTestRunner()
    const command = await printing('k'.repeat(20_000_000))
    const read = async () => {
      let isFirst = true
      for await (const _ of outputOf(runner.runner, command)) {
        if (isFirst) process.kill(runner.jobs[0]!.pid, 'SIGKILL')
        isFirst = false
      }
    }
    await expect(read()).rejects.toMatchObject({ code: 'interrupted' })
  })

  test("fails with the command's error", async () => {
    await using runner = await openTestRunner()
    const missing = 'a'.repeat(40) as Oid
    const log: Command = { subcommand: 'rev-list', operands: [missing], directory: repository.directory }
    await expect(texts(recordsOf(runner.runner, log))).rejects.toMatchObject({ code: 'object_missing' })
    const nowhere: Command = { ...log, directory: '/nonexistent' }
    await expect(texts(recordsOf(runner.runner, nowhere))).rejects.toMatchObject({ code: 'repository_missing' })
    const wrong: Command = { ...log, flags: ['--no-such-flag'], operands: [commit] }
    await expect(texts(recordsOf(runner.runner, wrong))).rejects.toMatchObject({ code: 'command_failed' })
  })
})
