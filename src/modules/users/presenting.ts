import { now } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { PresentingUsers } from './present.ts'

/** What the presentation of users and commits needs: the time, and the settings that concern users. */
export async function presentingUsers({ clock, settings, externalUrl }: Platform): Promise<PresentingUsers> {
  const { gravatar_enabled: gravatar, commit_email_hostname: commitEmailHostname } = await settings.current()
  return { externalUrl, now: now(clock), gravatar, commitEmailHostname }
}
