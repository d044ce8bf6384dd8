export { createMailer, type Mail, type Mailer, MailRefused } from './mailer.ts'
