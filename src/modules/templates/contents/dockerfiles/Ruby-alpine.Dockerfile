# Runs a Ruby program with the gems of Gemfile.lock.
FROM ruby:3.4-alpine

RUN apk add --no-cache build-base tzdata
WORKDIR /app
COPY Gemfile Gemfile.lock ./
RUN bundle config set without 'development test' && bundle install
COPY . .

USER 65532:65532
CMD ["bundle", "exec", "ruby", "app.rb"]
