import { type Result, ratioOf } from '../table.ts'

/** A bound for what Fennec reaches, in the unit of the row, or for the ratio to the rival. */
type Goal = { atMost: number } | { atLeast: number } | { ratio: number }

/** What rows shall reach, on a quiet machine of two processors. */
const goals: Record<string, Goal> = {
  'first start': { atMost: 400 },
  'memory at rest': { atMost: 100 },
  'memory after load': { atMost: 180 },
  'create a project': { atMost: 6 },
  'create projects, 8 at once': { atLeast: 400 },
  '20 own projects, 32 connections': { atLeast: 550 },
  'one user, 32 connections': { atLeast: 8_000 },
  'one project, 32 connections': { atLeast: 5_000 },
  'clone a small repository': { atMost: 30 },
  'clone a small repository, 10 at once': { atMost: 150 },
  'shallow clone of it': { atMost: 60 },
  'ls-remote of it': { atMost: 15 },
  'push 50 MB over SSH': { atMost: 2_000 },
  'push 50 MB over SSH, processor time of the server': { atMost: 2_200 },
  'push 200 layers of 4 KiB': { atMost: 450 },
  'push 4 layers of 64 MiB': { atMost: 420 },
  'pull 4 layers of 64 MiB': { atMost: 450 },
  'one small push': { ratio: 2 },
  'small push, 32 at once': { ratio: 1.3 },
  'push 1,111 branches': { ratio: 2 },
}

/** Gives a row its goal, in the place of a budget that it may have. */
export function withGoal(result: Result): Result {
  const goal = goals[result.name]
  if (goal === undefined) return result
  const { fennec, unit } = result
  if ('atMost' in goal) return { ...result, budget: `<= ${goal.atMost} ${unit}`, met: fennec <= goal.atMost }
  if ('atLeast' in goal) return { ...result, budget: `>= ${goal.atLeast} ${unit}`, met: fennec >= goal.atLeast }
  return { ...result, budget: `<= ${goal.ratio}x`, met: (ratioOf(result) ?? 0) <= goal.ratio }
}
