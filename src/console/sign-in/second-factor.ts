import { forbidden } from '../../api/index.ts'
import { isOverdue } from '../../modules/sessions/index.ts'
import { twoFactorPath } from '../frame/addresses.ts'
import { addressOf } from '../routes.ts'
import type { Console } from '../visits.ts'

/** Whether an address is not shown to who is signed in until they have a second factor (contract 20 R11). */
export function needsSecondFactor({ platform }: Console, { due }: { due: Date | null }, path: string): boolean {
  if (!isOverdue(due, platform.clock.now())) return false
  const { at, rest } = addressOf(path)
  return at !== 'instance' || rest !== twoFactorPath
}

/** @throws ApiError 403 for a form at such an address */
export function requireSecondFactor(console: Console, visitor: { due: Date | null }, path: string): void {
  if (needsSecondFactor(console, visitor, path)) throw forbidden('Set up a second factor first')
}
