import type { Progress, Unit } from '../backup/index.ts'
import { type Clock, systemClock } from '../infra/clock/index.ts'

type Output = { isTTY?: boolean; write(text: string): unknown }

type Options = {
  /** Whether nothing is shown but notes. */
  quiet?: boolean
  /** For the rate and the remaining time. */
  clock?: Pick<Clock, 'now'>
}

/** Progress that is shown. */
type ShownProgress = Omit<Progress, 'advance'> & {
  /** @param what names what is done now, in place of the name of the step */
  advance(amount: number, what?: string): void
  end(): void
}

const barCharacters = 30
/** How often a bar is drawn, in parts of the whole; and once in a second. */
const drawings = 200
/** A rate is not told from less. */
const shortestMs = 2000
/** Without a terminal, time between two lines of a long step. */
const lineMs = 30_000

/** A time for people, such as `1:05`. */
function minutesAndSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** How far a step is. */
type State = { name: string; total: number | undefined; unit: Unit | undefined; done: number; beganMs: number }

const shareOf = ({ total, done }: State) => (total === undefined ? 0 : total === 0 ? 1 : Math.min(1, done / total))

const sizes = ['B', 'kB', 'MB', 'GB', 'TB']

/** Bytes for people: 12.3 MB; or a number with one decimal below ten. */
function textOf(amount: number, unit: Unit): string {
  let power = 0
  while (unit === 'bytes' && power < sizes.length - 1 && amount >= 999.5 * 1000 ** power) power += 1
  const value = amount / 1000 ** power
  const text = value < 10 && (power > 0 || unit === 'items') ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0)
  return unit === 'bytes' ? `${text} ${sizes[power]}` : text
}

/** Percent, or how much is done; the rate, and the remaining time once they are known. */
function amountOf(state: State, nowMs: number): string {
  const { total, unit, done, beganMs } = state
  const share = shareOf(state)
  const passedMs = nowMs - beganMs
  const isKnown = passedMs >= shortestMs && done > 0
  const parts = [
    total === undefined ? (unit && done > 0 ? textOf(done, unit) : '') : `${Math.floor(share * 100)} %`,
    unit && isKnown ? `${textOf((done * 1000) / passedMs, unit)}/s` : '',
    isKnown && share > 0 && share < 1 ? `${minutesAndSeconds((passedMs / share) * (1 - share))} left` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function barOf(state: State, nowMs: number): string {
  const filled = Math.round(shareOf(state) * barCharacters)
  const bar = state.total === undefined ? '' : `[${'#'.repeat(filled)}${'.'.repeat(barCharacters - filled)}] `
  return `\r\u001b[K${bar}${state.name} ${amountOf(state, nowMs)}`
}

/**
 * Shows progress: a bar on a terminal, with the rate and the remaining time; otherwise a line for each step, and one now and then while it lasts
 * long.
 */
export function showProgress(output: Output, { quiet = false, clock = systemClock }: Options = {}): ShownProgress {
  let state: State | undefined
  let drawn = ''
  let toldMs = 0

  function draw(isForced = false): void {
    if (quiet || !state) return
    const nowMs = clock.now().getTime()
    if (!output.isTTY) {
      if (nowMs - toldMs < lineMs) return
      toldMs = nowMs
      output.write(`${state.name} ${amountOf(state, nowMs)}\n`)
      return
    }
    const seconds = Math.floor((nowMs - state.beganMs) / 1000)
    const mark = `${Math.floor(shareOf(state) * drawings)} ${seconds} ${state.name}`
    if (mark === drawn && !isForced) return
    drawn = mark
    output.write(barOf(state, nowMs))
  }

  function end(): void {
    if (quiet || !output.isTTY || !state) return
    if (state.total !== undefined) state.done = state.total
    draw(true)
    output.write('\n')
    state = undefined
  }

  return {
    step(name, total, unit) {
      end()
      const nowMs = clock.now().getTime()
      state = { name, total, unit, done: 0, beganMs: nowMs }
      drawn = ''
      toldMs = nowMs
      if (quiet) return
      if (output.isTTY) draw()
      else output.write(`${name}\n`)
    },
    advance(amount, what) {
      if (!state) return
      state.done += amount
      if (what !== undefined) state.name = what
      draw()
    },
    note(line) {
      output.write(output.isTTY && !quiet ? `\r\u001b[K${line}\n` : `${line}\n`)
      draw(output.isTTY)
    },
    end,
  }
}
