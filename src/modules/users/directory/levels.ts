/**
 * How much of a user is shown; each level contains those before it (contract 20, User): B basic, U single, P own,
 * A administrator, D detail.
 */
export const levels = ['basic', 'single', 'own', 'administrator', 'detail'] as const
export type Level = (typeof levels)[number]

/** Whether a level contains another one. */
export function reaches(level: Level, other: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(other)
}
