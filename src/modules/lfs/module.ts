import type { Service } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import type { Jobs } from '../../infra/jobs/index.ts'
import type { ObjectStore } from '../../infra/objects/index.ts'
import type { SshCommand } from '../git-transport/index.ts'
import { defineCleanup } from './cleanup.ts'
import { type LfsCredentialNeeds, lfsAuthentication } from './credentials.ts'
import { createEntrance, type EntranceNeeds } from './entrance.ts'
import { createLfsHttp, type LfsHttpNeeds } from './http.ts'
import { createLocks } from './locks.ts'
import { createLfsObjects } from './objects.ts'
import { lfsAuthenticate } from './ssh.ts'
import { createLfsTokens } from './tokens.ts'

export type LfsModuleNeeds = {
  database: Database
  clock: Clock
  jobs: Jobs
  objects: ObjectStore
}

/** What git LFS needs of git's transports. */
export type LfsTransportNeeds = Omit<LfsCredentialNeeds, 'tokens'> &
  Pick<EntranceNeeds, 'admit'> &
  Pick<LfsHttpNeeds, 'throttleAnonymous' | 'httpAllowed' | 'externalUrl'> & { instanceKey(): Promise<Buffer> }

export type LfsModule = {
  /** The service over HTTP, and the command over SSH. */
  transport(needs: LfsTransportNeeds): { http: Service; authenticate: SshCommand }
}

/** Large files, kept beside the repositories (contract 22, "LFS"). */
export function createLfsModule(needs: LfsModuleNeeds): LfsModule {
  const { database, clock } = needs
  const objects = createLfsObjects(needs)
  defineCleanup(needs)

  return {
    transport({ identify, callerOf, admit, instanceKey, ...http }) {
      const tokens = createLfsTokens({ clock, instanceKey })
      const enter = createEntrance({ database, admit })
      const authenticate = lfsAuthentication({ tokens, identify, callerOf })
      const locks = createLocks({ database, clock })
      return {
        http: createLfsHttp({ ...http, clock, objects, locks, authenticate, enter }),
        authenticate: lfsAuthenticate({ externalUrl: http.externalUrl, tokens, enter }),
      }
    },
  }
}
