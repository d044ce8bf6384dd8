/** Loaded before the server: its clock is that of the machine plus the milliseconds in a file, read again at SIGUSR2. */
import { readFileSync } from 'node:fs'

const RealDate = Date
let offsetMs = 0

function readOffset() {
  try {
    offsetMs = Number(readFileSync(process.env.CAMPAIGN_CLOCK, 'utf8')) || 0
  } catch {
    offsetMs = 0
  }
}

readOffset()
process.on('SIGUSR2', readOffset)
globalThis.Date = class extends RealDate {
  constructor(...parameters) {
    if (parameters.length === 0) super(RealDate.now() + offsetMs)
    else super(...parameters)
  }
  static now() {
    return RealDate.now() + offsetMs
  }
}
