import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../infra/clock/index.ts'
import { temporaryDirectory } from '../../testing/index.ts'
import { runProgram } from '../processes/run.ts'
import { findShell, scriptOf } from './scripts.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  folder = await temporaryDirectory()
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Runs a script with a shell. @returns what it wrote, and its exit code */
async function run(shell: readonly [string, ...string[]], commands: readonly string[]) {
  const file = join(folder.path, 'script.sh')
  await writeFile(file, scriptOf(commands))
  let written = ''
  const output = (bytes: Buffer) => {
    written += bytes
  }
  const { signal } = new AbortController()
  const environment = { PATH: process.env.PATH ?? '' }
  const [binary, ...options] = shell
  const program = { binary, parameters: [...options, file], folder: folder.path, environment, output, signal }
  return { code: await runProgram({ ...program, clock: systemClock }), written }
}

describe.each([[['bash', '--noprofile', '--norc']], [['/bin/sh']]] as [[string, ...string[]]][])(
  'a script of %j',
  (shell) => {
    test('shows each command as it is written, and runs it', async () => {
      const commands = [`echo 'it'"'"'s' %s '\\n'`, 'A=1', 'for n in 1 2; do\n  echo "$A$n"\ndone']
      const { code, written } = await run(shell, commands)
      expect(code).toBe(0)
      const shown = written.replaceAll(/\S\[[\d;]*m/g, '')
      expect(shown.split('\n')[0]).toBe(`$ ${commands[0]}`)
      expect(shown).toContain("it's %s")
      expect(shown).toContain('$ A=1\n$ for n in 1 2; do # collapsed multi-line command\n11\n12\n')
    })

    test('ends at the first command that fails, with its exit code', async () => {
      const { code, written } = await run(shell, [
        'test 1 = 1 && echo one',
        'if false; then :; fi',
        'sh -c "exit 7"',
        'echo never',
      ])
      expect(code).toBe(7)
      expect(written).toContain('\none\n')
      expect(written).not.toContain('\nnever')
    })

    test('has no input, and the exit code of a signal', async () => {
      expect((await run(shell, ['cat', 'kill -s KILL $$'])).code).toBe(137)
    })
  },
)

test('the shell is bash where there is one', async () => {
  expect(await findShell({ PATH: `:${folder.path}/missing` })).toEqual(['/bin/sh'])
  const bin = join(folder.path, 'bin')
  await mkdir(bin)
  await symlink('/bin/sh', join(bin, 'bash'))
  expect(await findShell({ PATH: `${folder.path}:${bin}` })).toEqual(['bash', '--noprofile', '--norc'])
})
