import { describe, expect, test } from 'vitest'
import { type Oid, refName } from '../model/names.ts'
import { repositoryCache } from '../objects/repository-cache.ts'
import { openTestRunner } from '../testing.ts'
import { argumentsOf, baseConfig, type Command, directoryOperand, environmentOf, type Operand } from './command.ts'
import { failure } from './runner.ts'
import { semaphore } from './semaphore.ts'

const base = { searchPath: '/bin', config: baseConfig('/hooks') }

describe('arguments', () => {
  const oid = 'a'.repeat(40) as Oid

  test('follow the end of options', () => {
    const command: Command = { subcommand: 'merge-base', flags: ['--is-ancestor'], operands: [oid, oid] }
    expect(argumentsOf(command)).toEqual(['merge-base', '--is-ancestor', '--end-of-options', oid, oid])
    expect(argumentsOf({ subcommand: 'commit-graph write' })).toEqual(['commit-graph', 'write'])
  })

  test.each(['-x', '--upload-pack=id', '', 'a\0b'])('%j is refused', (text) => {
    const command: Command = { subcommand: 'rev-list', operands: [text as Operand] }
    expect(() => argumentsOf(command)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  test('flags begin with a dash, directories are absolute', () => {
    expect(() => argumentsOf({ subcommand: 'fsck', flags: ['x' as '-x'] })).toThrow()
    expect(() => directoryOperand('relative')).toThrow()
    expect(() => directoryOperand('/a\0b')).toThrow()
  })
})

describe('the environment', () => {
  test('contains nothing of the server or the machine', () => {
    const environment = environmentOf({ subcommand: 'fsck', directory: '/r' }, base)
    expect(environment).toMatchObject({
      PATH: '/bin',
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_DIR: '/r',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_ALLOW_PROTOCOL: 'none',
    })
  })

  test.each([
    ['core.fsync', 'all'],
    ['receive.fsckObjects', 'true'],
    ['transfer.fsckObjects', 'true'],
    ['core.hooksPath', '/hooks'],
    ['transfer.hideRefs', 'refs'],
    ['transfer.hideRefs', '!refs/heads'],
    ['transfer.hideRefs', '!refs/tags'],
    ['transfer.hideRefs', '!refs/notes'],
    ['gc.auto', '0'],
    ['receive.autogc', 'false'],
    ['uploadpack.allowFilter', 'true'],
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['receive.advertisePushOptions', 'true'],
  ])('sets %s to %s', async (key, value) => {
    await using runner = await openTestRunner()
    const environment = environmentOf({ subcommand: 'fsck', config: [['a.b', 'c']] }, base)
    const count = Number(environment.GIT_CONFIG_COUNT)
    const settings = Array.from({ length: count }, (_, index) => {
      return [environment[`GIT_CONFIG_KEY_${index}`], environment[`GIT_CONFIG_VALUE_${index}`]]
    })
    expect(settings).toContainEqual([key, value])
    expect(settings).toContainEqual(['a.b', 'c'])
    expect((await runner.runner.run({ subcommand: 'version' })).exitCode).toBe(0)
  })

  test('a quarantine sets the object directories', () => {
    const quarantine = { objectDirectory: '/q', alternateObjectDirectories: '/o' }
    expect(environmentOf({ subcommand: 'rev-list', quarantine }, base)).toMatchObject({
      GIT_OBJECT_DIRECTORY: '/q',
      GIT_ALTERNATE_OBJECT_DIRECTORIES: '/o',
    })
  })
})

describe('running', () => {
  test('a failure has its reason', async () => {
    await using runner = await openTestRunner()
    const command: Command = { subcommand: 'rev-list', operands: [refName('refs/heads/x')!], directory: '/nonexistent' }
    await expect(runner.runner.run(command)).rejects.toMatchObject({ code: 'repository_missing' })
    const failing = runner.runner.run({ subcommand: 'rev-list' })
    await expect(failing).rejects.toMatchObject({ code: expect.stringMatching(/command_failed|repository_missing/) })
  })

  test.each([
    ['SIGKILL', 'interrupted'],
    ['SIGTERM', 'interrupted'],
    ['SIGSEGV', 'command_failed'],
  ] as const)('a command that %s ended is reported as %s', (signal, code) => {
    const exit = { exitCode: null, signal, stderr: '', stdout: Buffer.alloc(0) }
    expect(failure({ subcommand: 'fast-import' }, exit)).toMatchObject({ code })
  })

  test('a request is refused when the queue is full', async () => {
    await using runner = await openTestRunner({ concurrentCommands: 1, queueLength: 2 })
    const all = Array.from({ length: 6 }, () =>
      runner.runner.run({ subcommand: 'version' }).then(
        () => 'ran',
        (error) => error.code,
      ),
    )
    expect((await Promise.all(all)).toSorted()).toEqual(['busy', 'busy', 'busy', 'ran', 'ran', 'ran'])
  })
})

describe('a semaphore', () => {
  test('grants slots in order, and releases each once', async () => {
    const slots = semaphore({ slots: 1, queueLength: 10 })
    const order: number[] = []
    const release = await slots.acquire()
    const waiting = [1, 2].map(async (number) => {
      const done = await slots.acquire()
      order.push(number)
      done()
    })
    expect(order).toEqual([])
    release()
    release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2])
  })

  test('a request that leaves the queue takes no slot', async () => {
    const slots = semaphore({ slots: 1, queueLength: 10 })
    const release = await slots.acquire()
    const controller = new AbortController()
    const leaving = slots.acquire({ signal: controller.signal })
    const staying = slots.acquire()
    controller.abort()
    await expect(leaving).rejects.toMatchObject({ code: 'aborted' })
    release()
    await expect(staying).resolves.toBeTypeOf('function')
    await expect(slots.acquire({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('the repository cache', () => {
  test('evicts the least recently used value, separately for repositories', () => {
    const cache = repositoryCache<string>(3, (value) => value.length)
    cache.set('/a', 'x', '1')
    cache.set('/a', 'y', '2')
    cache.set('/b', 'x', '3')
    expect(cache.get('/a', 'x')).toBe('1')
    cache.set('/b', 'y', '4')
    expect([cache.get('/a', 'x'), cache.get('/a', 'y'), cache.get('/b', 'x')]).toEqual(['1', undefined, '3'])
    cache.drop('/b')
    expect(cache.get('/b', 'x')).toBeUndefined()
    cache.set('/a', 'x', '22')
    cache.set('/a', 'z', '5')
    expect([cache.get('/a', 'x'), cache.get('/a', 'z')]).toEqual(['22', '5'])
    cache.set('/a', 'huge', 'huge')
    expect(cache.get('/a', 'huge')).toBeUndefined()
  })
})
