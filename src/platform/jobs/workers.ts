import type { Platform } from '../platform.ts'

/** Whose work it is. */
type About = { projectId?: number | null; groupId?: number | null }

declare module '../platform.ts' {
  interface Questions {
    /** @throws RunLater while the worker is switched off (contract 05, Definitions) */
    'workers.require'(name: 'mail_worker' | 'repository_maintenance_worker', about?: About): Promise<void>
  }
}

/**
 * For the start of a job of the platform that can be switched off.
 * @throws RunLater while it is off
 */
export function requireWorker(
  platform: Platform,
  name: 'mail_worker' | 'repository_maintenance_worker',
  about?: About,
): Promise<void> {
  return platform.ports['workers.require'](platform, name, about)
}
