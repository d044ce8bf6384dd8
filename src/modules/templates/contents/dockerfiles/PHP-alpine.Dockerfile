# Runs a PHP application with FPM, behind a web server that speaks FastCGI.
FROM php:8-fpm-alpine

RUN docker-php-ext-install pdo_mysql
COPY --from=composer:2 /usr/bin/composer /usr/local/bin/composer

WORKDIR /var/www/app
COPY composer.json composer.lock ./
RUN composer install --no-dev --no-scripts --prefer-dist
COPY . .

USER www-data
EXPOSE 9000
