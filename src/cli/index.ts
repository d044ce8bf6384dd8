import { defineCommand, runCommand } from 'citty'
import { isOption } from './parameters/parameters.ts'
import { type Command, type Plan, planOf } from './parameters/plan.ts'
import { serve } from './server/serve.ts'
import { programVersion } from './version.ts'

export { type Command, commandsOf } from './parameters/plan.ts'

/** `fennec`. A command is loaded when it is used. */
export const main: Command = defineCommand({
  meta: { name: 'fennec', description: 'A complete software-development platform behind one REST API' },
  subCommands: {
    serve: async () => serve,
    demo: async () => (await import('./demo.ts')).demo,
    worker: async () => (await import('./server/workers.ts')).worker,
    import: async () => (await import('./clients/import.ts')).importCommand,
    runner: async () => (await import('./clients/runner.ts')).runner,
    migrate: async () => (await import('./migrate.ts')).migrate,
    token: async () => (await import('./token.ts')).token,
    config: async () => (await import('./config.ts')).config,
    registry: async () => (await import('./registry.ts')).registry,
    user: async () => (await import('./user.ts')).user,
    audit: async () => (await import('./audit.ts')).audit,
    instance: async () => (await import('./instance.ts')).instance,
    check: async () => (await import('./check.ts')).check,
    backup: async () => (await import('./backups/backup.ts')).backup,
    restore: async () => (await import('./backups/restore.ts')).restore,
    promote: async () => (await import('./promote.ts')).promote,
  },
})

/** What these parameters ask for. Without a command they are those of `serve`. */
export function planOfParameters(parameters: readonly string[]): Promise<Plan> {
  const [first] = parameters
  const isForServe = first === undefined || (isOption(first) && !['--help', '-h'].includes(first))
  return planOf(main, isForServe ? ['serve', ...parameters] : parameters)
}

/** Parameters that cannot be understood, as of other programs. */
const misuseStatus = 2

/** Runs the command line. What it refuses is said on standard error. */
export async function runCli(parameters: readonly string[]): Promise<void> {
  if (['--version', '-v'].includes(parameters.join(' '))) {
    process.stdout.write(`${programVersion()}\n`)
    return
  }
  const plan = await planOfParameters(parameters)
  if (plan.kind === 'help') process.stdout.write(plan.usage)
  else if (plan.kind === 'refuse') {
    process.stderr.write(`fennec: ${plan.problem}\nSee: ${plan.path} --help\n`)
    process.exitCode = misuseStatus
  } else await run(plan.command, plan.parameters)
}

/** An error that a command does not expect ends it with all that is known about it. */
async function run(command: Command, parameters: string[]): Promise<void> {
  try {
    await runCommand(command, { rawArgs: parameters })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exit(1)
  }
}
