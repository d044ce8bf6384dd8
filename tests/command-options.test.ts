import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ArgsDef } from 'citty'
import { describe, expect, test } from 'vitest'
import { type Command, commandsOf, main, planOfParameters } from '../src/cli/index.ts'
import { temporaryDirectory } from '../src/testing/index.ts'
import { program, programEnvironment } from './program.ts'

type Known = { path: string[]; command: Command; isGroup: boolean }

/** Every command and subcommand of the program. */
async function known(command: Command, path: string[]): Promise<Known[]> {
  const commands = await commandsOf(command)
  const below = [...(commands ?? [])].map(async ([name, load]) => known(await load(), [...path, name]))
  return [{ path, command, isGroup: commands !== null }, ...(await Promise.all(below)).flat()]
}

const all = await known(main, [])
const named = all.map((one) => ({ ...one, name: ['fennec', ...one.path].join(' ') }))
const running = named.filter(({ isGroup }) => !isGroup)
const argsOf = ({ args }: Command) => Object.entries((args ?? {}) as ArgsDef)
const optionsOf = (command: Command) => argsOf(command).filter(([, { type }]) => type !== 'positional')
const textsOf = (command: Command) => argsOf(command).filter(([, { type }]) => type === 'positional')
/** Texts for what a command requires. */
const required = (command: Command) => textsOf(command).flatMap(([name]) => (name.endsWith('...') ? [] : ['a']))

const problemOf = async (...parameters: string[]) => {
  const plan = await planOfParameters(parameters)
  return plan.kind === 'refuse' ? plan.problem : plan.kind
}

test('the program has commands with and without subcommands', () => {
  expect(named.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['fennec serve', 'fennec token create', 'fennec user two-factor enable']),
  )
})

describe.each(named)('$name', ({ name, path, command, isGroup }) => {
  test('refuses an option that it does not have', async () => {
    expect(await problemOf(...path, '--nonsense')).toBe('unknown option --nonsense')
    expect(await problemOf(...path, '--nonsense=1', ...required(command))).toBe('unknown option --nonsense')
    expect(await problemOf(...path, ...required(command), '-x')).toBe('unknown option -x')
    expect(await problemOf(...path, '--no-nonsense')).toBe('unknown option --no-nonsense')
  })

  test('refuses a text too many or too few', async () => {
    const texts = required(command)
    if (isGroup) expect(await problemOf(...path, 'nonsense')).toBe('unknown command nonsense')
    else if (textsOf(command).some(([one]) => one.endsWith('...'))) {
      expect(await problemOf(...path, ...texts, 'b', 'c')).toBe('run')
    } else expect(await problemOf(...path, ...texts, 'nonsense')).toBe('unexpected argument "nonsense"')
    if (texts.length > 0) expect(await problemOf(...path)).toMatch(/^[A-Z]+ is missing$/)
    if (texts.length > 0) expect(await problemOf(...path, '')).toMatch(/^[A-Z]+ is missing$/)
  })

  test('shows its usage with its full name', async () => {
    // Without parameters the program serves.
    for (const option of ['--help', '-h']) {
      const plan = await planOfParameters([...path, option])
      expect(plan).toMatchObject({ kind: 'help', usage: expect.stringContaining(`(${name})\n\nUSAGE ${name}`) })
    }
    if (!isGroup) expect(await problemOf(...path, '--', '--help')).not.toBe('help')
  })
})

describe.each(running)('each option of $name', ({ path, command }) => {
  test('is accepted once, as it is written, with a value where it has one', async () => {
    const texts = required(command)
    expect(await problemOf(...path, ...texts)).toBe('run')
    for (const [option, { type }] of optionsOf(command)) {
      const flag = `--${option}`
      const given = type === 'boolean' ? [flag] : [flag, 'value']
      expect(await problemOf(...path, ...given, ...texts)).toBe('run')
      expect(await problemOf(...path, ...given, ...given, ...texts)).toBe(`${flag} is given twice`)
      expect(await problemOf(...path, `${flag}x`, ...texts)).toBe(`unknown option ${flag}x (did you mean ${flag}?)`)
      if (type === 'boolean') expect(await problemOf(...path, `${flag}=no`, ...texts)).toBe(`${flag} takes no value`)
      else {
        expect(await problemOf(...path, `${flag}=-value`, ...texts)).toBe('run')
        for (const none of [
          [...texts, flag],
          [`${flag}=`, ...texts],
          [flag, '--', ...texts],
          [flag, ''],
        ]) {
          expect(await problemOf(...path, ...none)).toBe(`${flag} needs a value`)
        }
      }
    }
  })
})

test.each([
  ['unknown option --dryrun (did you mean --dry-run?)', ['registry', 'gc', '--dryrun']],
  ['unknown option --dryRun (did you mean --dry-run?)', ['registry', 'gc', '--dryRun']],
  ['unknown option --without-key (did you mean --without-keys?)', ['backup', '--without-key', 'file']],
  ['unknown option --incremental (did you mean --incremental-from?)', ['backup', '--incremental', 'old', 'file']],
  ['unknown option --memroy (did you mean --memory?)', ['--memroy']],
  ['unknown option --no-memory', ['--no-memory']],
  ['unexpected argument "serve"', ['--memory', 'serve']],
  ['unknown command regsitry (did you mean registry?)', ['regsitry', 'gc']],
  ['unknown command toString', ['toString']],
  ['unknown option --constructor', ['serve', '--constructor']],
  ['unknown option --user', ['token', '--user', 'alice', 'create']],
  ['a command is missing: password, two-factor', ['user']],
  ['run', []],
  ['run', ['backup', '-']],
  ['run', ['backup', '--', '--odd-name']],
])('%s: %j', async (problem, parameters) => {
  expect(await problemOf(...parameters)).toBe(problem)
})

/** Runs the program in a process of its own. */
async function run(folder: string, ...parameters: string[]) {
  const env = { ...programEnvironment, FENNEC_DATA: join(folder, 'data') }
  const child = spawn(process.execPath, [program, ...parameters], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: (await closed)[0], stdout, stderr }
}

test('a process answers on the right stream, without colours, and does nothing that was not asked for', async () => {
  await using folder = await temporaryDirectory()
  expect(await run(folder.path, 'registry', 'gc', '--dryrun')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'fennec: unknown option --dryrun (did you mean --dry-run?)\nSee: fennec registry gc --help\n',
  })
  const help = await run(folder.path, 'token', 'create', '--help')
  expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('\nUSAGE fennec token create ') })
  expect(help.stdout).not.toContain('\u001b')
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await run(folder.path, '--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  for (const expiry of ['2020-01-01', new Date().toISOString().slice(0, 10)]) {
    expect(await run(folder.path, 'token', 'create', '--expires', expiry)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'fennec: --expires must be a day after today (UTC)\n',
    })
  }
  expect(await readdir(folder.path)).toEqual([])
}, 180_000)
