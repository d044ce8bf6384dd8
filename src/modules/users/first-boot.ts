import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allScopes, dayAfter } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now } from '../../infra/database/index.ts'
import { hashPassword, hashToken, randomToken } from '../../infra/secrets/index.ts'
import { createUserRows } from './create.ts'
import { putRootToken } from './store/first-boot.ts'
import { anyUserExists, userById } from './store/users.ts'

export type FirstBootNeeds = {
  database: Database
  clock: Clock
  dataFolder: string
  rootToken: string | undefined
  rootPassword: RootPassword
  projectsLimit: number
}

/** The password that root gets at the first start; hashed at most once, since that is slow on purpose. */
export type RootPassword = { text: string; isGiven: boolean; hash(): Promise<string> }

/** @param given the configured password; a random one is made up without */
export function rootPassword(given: string | undefined): RootPassword {
  const text = given ?? randomBytes(18).toString('base64url')
  let hashed: Promise<string> | undefined
  return {
    text,
    isGiven: given !== undefined,
    hash() {
      hashed ??= hashPassword(text)
      return hashed
    },
  }
}

/** What the start found or made: the token and password are told only when they were made just now. */
export type FirstBoot = { isFirst: boolean; token: string | undefined; password: string | undefined }

const tokenDays = 365

/** Where the first start leaves a token that it made up itself. */
export function rootTokenFile(dataFolder: string): string {
  return join(dataFolder, 'root-token')
}

async function writtenToken(dataFolder: string): Promise<string | undefined> {
  const text = await readFile(rootTokenFile(dataFolder), 'utf8').catch(() => '')
  return text.trim() === '' ? undefined : text.trim()
}

async function makeToken(dataFolder: string): Promise<string> {
  const token = randomToken('glpat-')
  await mkdir(dataFolder, { recursive: true })
  await writeFile(rootTokenFile(dataFolder), `${token}\n`, { mode: 0o600 })
  return token
}

/**
 * Makes sure that root has this token, with a whole lifetime before it, unless it was revoked, when it stays so (contract
 * 20 R6).
 */
async function ensureToken({ database, clock }: FirstBootNeeds, text: string): Promise<void> {
  const digest = hashToken(text)
  const expiresAt = dayAfter(clock.now(), tokenDays)
  const token = { digest, scopes: JSON.stringify(allScopes), expiresAt, now: now(clock) }
  await database
    .write((tx) => putRootToken(tx, token))
    .catch((error) => {
      if (!isUniqueViolation(error)) throw error
    })
}

/** Makes root in an empty database; false when another process was quicker. */
async function makeRoot(needs: FirstBootNeeds): Promise<boolean> {
  const { database, clock, projectsLimit } = needs
  const passwordHash = await needs.rootPassword.hash()
  const moment = now(clock)
  try {
    await database.write((tx) =>
      createUserRows(tx, {
        username: 'root',
        name: 'Administrator',
        email: 'admin@example.com',
        passwordHash,
        isAdmin: true,
        confirmedAt: moment,
        projectsLimit,
        now: moment,
      }),
    )
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/**
 * First start (contract 20 R6): in an empty database the user `root` with id 1 is made, with a password and a token. The
 * configured token is ensured at every start; one that was made up is written to the data folder, readable by its owner.
 */
export async function firstBoot(needs: FirstBootNeeds): Promise<FirstBoot> {
  const { database, dataFolder, rootPassword: password } = needs
  const isFirst = !(await anyUserExists(database.read)) && (await makeRoot(needs))
  if (!(await userById(database.read, 1))) return { isFirst, token: undefined, password: undefined }
  const token = needs.rootToken ?? (isFirst ? await makeToken(dataFolder) : await writtenToken(dataFolder))
  if (token !== undefined && (isFirst || needs.rootToken !== undefined)) await ensureToken(needs, token)
  return {
    isFirst,
    token: isFirst ? token : undefined,
    password: isFirst && !password.isGiven ? password.text : undefined,
  }
}
