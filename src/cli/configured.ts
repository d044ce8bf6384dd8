import { type Config, ConfigError, readConfig } from '../config.ts'

/** Prints one line to standard error and exits with status 1. */
export function fail(message: string): never {
  process.stderr.write(`fennec: ${message}\n`)
  process.exit(1)
}

/** Reads the configuration from the environment. An invalid setting ends the command with one line that names it. */
export function configured(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message)
    throw error
  }
}

/** The sentence that a failed command shows. */
export function failureText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'storage_full') return 'no space is left on the device'
  return message.split('\n')[0] ?? ''
}
