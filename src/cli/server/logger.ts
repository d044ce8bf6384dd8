import { type Logger, pino } from 'pino'
import type { Config } from '../../config.ts'

/** Creates the log of a command: readable lines on a terminal, JSON lines otherwise. */
export async function commandLogger(config: Config): Promise<Logger> {
  if (!process.stdout.isTTY) return pino({ level: config.logLevel })
  const { default: pretty } = await import('pino-pretty')
  return pino({ level: config.logLevel }, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' }))
}
