import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../programs.ts'

/** What a git command said, and how it ended. */
export type GitOutcome = { code: number; stdout: string; stderr: string }

const environment = {
  PATH: process.env.PATH,
  HOME: tmpdir(),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Tester',
  GIT_AUTHOR_EMAIL: 'tester@example.com',
  GIT_COMMITTER_NAME: 'Tester',
  GIT_COMMITTER_EMAIL: 'tester@example.com',
  LC_ALL: 'C',
}

/** Without maintenance, for which git starts two more processes after each commit and fetch, and without samples of hooks. */
const settings = ['init.defaultBranch=main', 'protocol.version=2', 'maintenance.auto=false', 'init.templateDir=']

/** Runs the real git client in a folder; how it ended is for the test to judge. */
export function git(cwd: string, ...parameters: string[]): Promise<GitOutcome> {
  return gitWith({}, cwd, ...parameters)
}

/** As `git`, with more in its environment. */
export function gitWith(more: Record<string, string>, cwd: string, ...parameters: string[]): Promise<GitOutcome> {
  const configured = settings.flatMap((setting) => ['-c', setting])
  const env = { ...environment, ...more }
  return runProgram({ binary: 'git', parameters: [...configured, ...parameters], cwd, env })
}

/** A folder that goes with its test. */
export async function temporaryDirectory(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'fennec-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Makes a repository with a commit for each of these messages, in `folder`. */
export async function makeHistory(folder: string, messages: readonly string[]): Promise<void> {
  await git(folder, 'init', '--quiet')
  for (const message of messages) await git(folder, 'commit', '--quiet', '--allow-empty', '--message', message)
}

/** The address of a project for git over HTTP, with what opens it. @param fullPath the project's */
export function httpUrl(
  { url }: { url: string },
  { username = 'x', token }: { username?: string; token: string },
  fullPath: string,
): string {
  return `${url.replace('://', `://${username}:${token}@`)}/${fullPath}.git`
}
