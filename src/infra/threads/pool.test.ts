import { afterEach, expect, test, vi } from 'vitest'
import { openThreadPool, type PoolBounds, ThreadEnded, type ThreadPool, ThreadsBusy } from './index.ts'

const program = new URL('./fixture-pool-program', import.meta.url)
const bounds: PoolBounds = {
  threads: 2,
  waiting: 2,
  longestWaitMs: 60_000,
  longestMs: 60_000,
  idleMs: 60_000,
  mostMemoryMib: 64,
}

let pool: ThreadPool<object, unknown>
/** Tasks that do not end before `release`. */
const gates: Int32Array[] = []

const open = (changed: Partial<PoolBounds> = {}) => {
  pool = openThreadPool(program, 'data', { ...bounds, ...changed })
}

/** Begins a task that holds its thread. */
function hold(isSlow: boolean) {
  const until = new SharedArrayBuffer(4)
  const gate = new Int32Array(until)
  gates.push(gate)
  const release = () => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return { ended: pool.run({ until }, isSlow), release }
}

afterEach(async () => {
  vi.useRealTimers()
  for (const gate of gates.splice(0)) {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  await pool.close()
})

test('tasks get the data of the pool, and errors keep their members', async () => {
  open()
  const value = { text: 'ü', big: 2n ** 60n, bytes: new Uint8Array([1, 2]), none: null }
  expect(await pool.run({ value }, false)).toMatchObject({ data: 'data', value })
  const failed = (await pool.run({ fail: 'no' }, false).catch((error) => error)) as Record<string, unknown>
  expect([failed instanceof Error, failed.message, failed.code, failed.detail]).toEqual([true, 'no', 'ERR_FIXTURE', 7])
  await expect(pool.run({ value: () => {} }, false)).rejects.toThrow('could not be cloned')
  await expect(pool.run({ exit: true }, false)).rejects.toThrow(ThreadEnded)
  expect(await pool.run({ value: 1 }, false)).toMatchObject({ data: 'data', value: 1 })
})

test('a quick task does not wait for slow ones, and slow ones run one after the other', async () => {
  open()
  const first = hold(true)
  const second = pool.run({ value: 'slow' }, true)
  const order: string[] = []
  const note = (name: string) => () => order.push(name)
  const all = [first.ended.then(note('first')), second.then(note('second'))]
  await pool.run({ value: 'quick' }, false).then(note('quick'))
  first.release()
  await Promise.all(all)
  expect(order).toEqual(['quick', 'first', 'second'])
})

test('no more tasks wait than the pool accepts, and none waits too long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  open({ threads: 1, longestWaitMs: 1_000 })
  const held = hold(false)
  const waiting = [pool.run({}, false), pool.run({}, false)].map((one) => one.catch((error) => error.message))
  await expect(pool.run({}, false)).rejects.toThrow(ThreadsBusy)
  vi.advanceTimersByTime(1_000)
  expect(await Promise.all(waiting)).toEqual(Array(2).fill('a task waited too long for a thread'))
  held.release()
  await held.ended
})

test('a task that runs too long fails, and the others get another thread', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  open({ threads: 1 })
  const failing = expect(hold(false).ended).rejects.toThrow('took too long')
  vi.advanceTimersByTime(bounds.longestMs)
  await failing
  expect(await pool.run({ value: 1 }, false)).toMatchObject({ value: 1 })
})

test('the end of a pool fails what waits and what runs', async () => {
  open({ threads: 1 })
  const outcomes = [hold(false).ended, pool.run({}, false)].map((one) => one.catch((error) => error.name))
  await pool.close()
  expect(await Promise.all(outcomes)).toEqual(['ThreadEnded', 'ThreadEnded'])
  await expect(pool.run({}, false)).rejects.toThrow(ThreadEnded)
})

test('a thread without work ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  open()
  const threadOf = async () => ((await pool.run({}, false)) as { thread: number }).thread
  const first = await threadOf()
  expect(await threadOf()).toBe(first)
  vi.advanceTimersByTime(bounds.idleMs)
  expect(await threadOf()).not.toBe(first)
})
