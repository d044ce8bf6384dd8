import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { allScopes, dayAfter } from '../../../api/index.ts'
import { rootTokenFile } from '../../../config.ts'
import { isUniqueViolation, now } from '../../../infra/database/index.ts'
import { hashPassword, hashToken, randomToken } from '../../../infra/secrets/index.ts'
import type { FirstBoot, Platform, RootAccount, RootPassword } from '../../../platform/index.ts'
import { anyUserExists, createUserRows, userById } from '../../users/index.ts'
import { putRootToken } from './store.ts'

/** @param configured a random password is generated without it */
function rootPassword(configured: string | undefined): RootPassword {
  const text = configured ?? randomBytes(18).toString('base64url')
  let hashed: Promise<string> | undefined
  return {
    text,
    isConfigured: configured !== undefined,
    hash() {
      hashed ??= hashPassword(text)
      return hashed
    },
  }
}

const tokenDays = 365

async function readToken(dataFolder: string): Promise<string | undefined> {
  const text = await readFile(rootTokenFile({ data: dataFolder }), 'utf8').catch(() => '')
  return text.trim() === '' ? undefined : text.trim()
}

async function generateToken(dataFolder: string): Promise<string> {
  const token = randomToken('glpat-')
  await mkdir(dataFolder, { recursive: true })
  await writeFile(rootTokenFile({ data: dataFolder }), `${token}\n`, { mode: 0o600 })
  return token
}

type Parts = Pick<Platform, 'config' | 'database' | 'clock' | 'settings'>

/** Ensures that root has this token, with a full lifetime. A revoked token stays revoked (contract 20 R6). */
async function ensureToken({ database, clock }: Parts, text: string): Promise<void> {
  const expires_at = dayAfter(clock.now(), tokenDays)
  const token = { digest: hashToken(text), scopes: JSON.stringify(allScopes), expires_at, created_at: now(clock) }
  await database
    .write((tx) => putRootToken(tx, token))
    .catch((error) => {
      if (!isUniqueViolation(error)) throw error
    })
}

/** @returns false when another process created root concurrently */
async function createRoot({ database, clock, settings }: Parts, password: RootPassword): Promise<boolean> {
  const { default_projects_limit: projects_limit } = await settings.current()
  const password_hash = await password.hash()
  const created_at = now(clock)
  const root = { username: 'root', name: 'Administrator', email: 'admin@example.com', is_admin: true }
  try {
    await database.write((tx) =>
      createUserRows(tx, { ...root, password_hash, confirmed_at: created_at, projects_limit, created_at }),
    )
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/**
 * Creates the user `root` with id 1, a password and a token in an empty database (contract 20 R6). A configured token is
 * ensured at each start; a generated one is written to the data folder, readable by its owner only.
 */
async function firstBoot(parts: Parts, password: RootPassword): Promise<FirstBoot> {
  const { database, config } = parts
  const isFirst = !(await anyUserExists(database.read)) && (await createRoot(parts, password))
  if (!(await userById(database.read, 1))) return { isFirst, token: undefined, password: undefined }
  const token = config.rootToken ?? (isFirst ? await generateToken(config.data) : await readToken(config.data))
  if (token !== undefined && (isFirst || config.rootToken !== undefined)) await ensureToken(parts, token)
  return {
    isFirst,
    token: isFirst ? token : undefined,
    password: isFirst && !password.isConfigured ? password.text : undefined,
  }
}

export const rootAccount: RootAccount = { anyUserExists, rootPassword, firstBoot }
