import type { Platform } from './platform.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of all kinds
type Rule = (platform: Platform, ...rest: any[]) => unknown
export type Bound<F extends Record<string, Rule>> = {
  [K in keyof F]: F[K] extends (platform: Platform, ...rest: infer R) => infer T ? (...rest: R) => T : never
}

/** For callers of the old shape: functions with the platform given already. Goes with the last of them. */
export function bound<F extends Record<string, Rule>>(platform: Platform, functions: F): Bound<F> {
  const entries = Object.entries(functions).map(([name, rule]) => [
    name,
    (...rest: unknown[]) => rule(platform, ...rest),
  ])
  return Object.fromEntries(entries) as Bound<F>
}
