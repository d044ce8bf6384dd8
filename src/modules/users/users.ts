import type { Operation, RateCounter } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import type { Settings } from '../settings/index.ts'
import { createAccounts, requireUser } from './accounts.ts'
import type { Avatars } from './avatars.ts'
import { createDirectory, type Directory } from './directory.ts'
import { userOperations } from './operations.ts'
import type { PresentingUsers } from './present.ts'
import { createRemoval, type RemovalNeeds } from './removal.ts'
import { userStateOperations } from './state-operations.ts'
import { createStateChanges } from './states.ts'

export type UsersNeeds = Pick<RemovalNeeds, 'removeProjectsOf' | 'removeGroup' | 'contributions'> & {
  database: Database
  clock: Clock
  jobs: Jobs
  settings: Settings
  avatars: Avatars
  externalUrl: string
  presenting(): Promise<PresentingUsers>
  rateCounter: RateCounter
  log: { info(fields: object, message: string): void }
}

/** What the module offers: its operations, and users shown at any level to those whose objects hold users. */
export type Users = { operations: Operation[]; directory: Directory }

/** Accounts: reading, making, changing, blocking and removing them (contract 20). */
export function createUsers(needs: UsersNeeds): Users {
  const { database, clock, settings, avatars, externalUrl, log } = needs
  const directory = createDirectory(needs)
  const accounts = createAccounts({
    database,
    clock,
    settings,
    avatars,
    sendPasswordLink: (user) => log.info({ user: user.id }, 'no mail is sent: there is no mailer to tell the user of'),
  })
  const removal = createRemoval({ ...needs, host: new URL(externalUrl).hostname })
  const changeState = createStateChanges({
    database,
    clock,
    requireUser,
    dormantDays: async () => (await settings.current()).deactivate_dormant_users_period,
  })
  return {
    directory,
    operations: [
      ...userOperations({ directory, accounts, removal, avatars }),
      ...userStateOperations({ changeState, removal }),
    ],
  }
}
