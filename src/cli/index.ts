import { defineCommand, runMain } from 'citty'
import { serve } from './serve.ts'

const commands = {
  serve: async () => serve,
  worker: async () => (await import('./workers.ts')).worker,
  migrate: async () => (await import('./migrate.ts')).migrate,
  token: async () => (await import('./token.ts')).token,
  config: async () => (await import('./config.ts')).config,
  registry: async () => (await import('./registry.ts')).registry,
  user: async () => (await import('./user.ts')).user,
  audit: async () => (await import('./audit.ts')).audit,
  instance: async () => (await import('./instance.ts')).instance,
  check: async () => (await import('./check.ts')).check,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
}

/** Runs the command line. The default command is `serve`. */
export async function runCli(parameters: readonly string[]): Promise<void> {
  const main = defineCommand({
    meta: { name: 'fennec', description: 'A complete software-development platform behind one REST API' },
    subCommands: commands,
  })
  const [first] = parameters
  const named = first !== undefined && (!first.startsWith('-') || ['--help', '-h', '--version'].includes(first))
  await runMain(main, { rawArgs: named ? [...parameters] : ['serve', ...parameters] })
}
