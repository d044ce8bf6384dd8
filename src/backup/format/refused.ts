/** A backup cannot be made or restored. The message is one sentence for the operator. */
export class BackupRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupRefused'
  }
}
