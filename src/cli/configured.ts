import { type Config, ConfigError, readConfig } from '../config.ts'

/** Says what is wrong in one line and ends the command. */
export function fail(message: string): never {
  process.stderr.write(`fennec: ${message}\n`)
  process.exit(1)
}

/** The configuration; a wrong setting ends the command with one line that names it. */
export function configured(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message)
    throw error
  }
}
